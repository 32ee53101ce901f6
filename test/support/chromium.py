"""A real Chromium without a window, driven over a pipe with the DevTools protocol.

It needs no driver and no Python package: `--remote-debugging-pipe` takes JSON messages, each
ended by a NUL, on file 3 and answers on file 4. https://chromedevtools.github.io/devtools-protocol/
"""
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ('chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome')
MISSING = ('no Chromium on the PATH: apt-get install chromium-headless-shell, or let tools/test '
           'unpack it into .venv')
FLAGS = ('--headless=new', '--remote-debugging-pipe', '--no-first-run', '--disable-gpu',
         '--no-sandbox',    # it fails for root and in most containers; the page is our own
         '--disable-dev-shm-usage', '--disable-background-networking', '--disable-sync',
         '--disable-component-update', '--disable-extensions', '--no-default-browser-check',
         '--mute-audio', '--force-color-profile=srgb', '--hide-scrollbars')
LIMIT = 60.0        # seconds for any command or condition
# The middle of the element that a selector finds, after an action there, or null: it is not there,
# or it is covered.
AT = """(() => {
    const element = document.querySelector(%s);
    if (!element) return null;
    element.scrollIntoView({block: 'center'});
    const box = element.getBoundingClientRect();
    const clientX = box.x + box.width / 2, clientY = box.y + box.height / 2;
    const hit = document.elementFromPoint(clientX, clientY);
    if (!element.contains(hit)) return null;
    %s
    return [clientX, clientY];
})()"""
CLICK = """
    element.focus();
    hit.dispatchEvent(new MouseEvent('click', {
        bubbles: true, cancelable: true, view: window, clientX, clientY}));"""


def path_of_chromium():
    """Return the path of the program Chromium, or None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """A browser with one page, while the context lasts."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self._write = os.pipe()
        self._read, answers = os.pipe()
        command = (path_of_chromium(), *FLAGS, f'--user-data-dir={self._folder.name}',
                   'about:blank')

        def hand_over():
            spare = os.dup(theirs), os.dup(answers)     # either may already be 3 or 4
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)
        self._process = subprocess.Popen(
            command, close_fds=False, preexec_fn=hand_over, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(theirs)
        os.close(answers)
        self._numbers, self._rest, self._session = itertools.count(1), b'', None
        self.events = []        # (method, params), since the page was opened
        target = next(one for one in self('Target.getTargets')['targetInfos']
                      if one['type'] == 'page')
        self._session = self('Target.attachToTarget', targetId=target['targetId'],
                             flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self(f'{domain}.enable')
        return self

    def __exit__(self, *_exc):
        self._session = None
        try:
            self('Browser.close')
            self._process.wait(LIMIT)
        except (OSError, AssertionError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._folder.cleanup()

    def __call__(self, method, **params):
        """Send the DevTools command `method`; return its result, a dict."""
        number = next(self._numbers)
        message = {'id': number, 'method': method, 'params': params}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._write, json.dumps(message).encode() + b'\0')
        deadline = time.monotonic() + LIMIT
        while True:
            answer = self._message(deadline - time.monotonic())
            assert answer, f'{method}: Chromium does not answer'
            if answer.get('id') == number:
                assert 'error' not in answer, f'{method}: {answer}'
                return answer['result']
            self.events.append((answer['method'], answer['params']))

    def listen(self):
        """Append the DevTools events that the browser has sent to `events`."""
        while event := self._message(0):
            if 'method' in event:
                self.events.append((event['method'], event['params']))

    def _message(self, seconds):
        while b'\0' not in self._rest:
            if not select.select([self._read], [], [], max(0.0, seconds))[0]:
                return None
            data = os.read(self._read, 1 << 20)
            assert data, 'Chromium has ended'
            self._rest += data
        message, _nul, self._rest = self._rest.partition(b'\0')
        return json.loads(message)

    def open(self, url, width=1280, height=800, dark=False):
        """Load `url` in a window of this size."""
        self.resize(width, height, dark)
        self('Page.navigate', url='about:blank')
        self.until("location.href === 'about:blank'")
        self.listen()
        self.events.clear()
        self('Page.navigate', url=url)
        self.until(f"location.href.startsWith({json.dumps(url)}) "
                   "&& document.readyState === 'complete'")

    def resize(self, width, height, dark=False, scale=1):
        """Show the page in this size, in CSS pixels, and in a light or a dark colour scheme."""
        self('Emulation.setDeviceMetricsOverride', width=width, height=height,
             deviceScaleFactor=scale, mobile=width < 600)
        self('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def value(self, expression):
        """Return the value of a JavaScript expression, or of the promise that it returns."""
        answer = self('Runtime.evaluate', expression=expression, returnByValue=True,
                      awaitPromise=True)
        assert 'exceptionDetails' not in answer, f'{expression}: {answer["exceptionDetails"]}'
        return answer['result'].get('value')

    def until(self, expression, seconds=LIMIT):
        """Wait until a JavaScript expression is true, for `seconds` at most; return its value."""
        deadline = time.monotonic() + seconds
        while not (value := self.value(expression)):
            assert time.monotonic() < deadline, (
                f'not within {seconds:g} s: {expression}; {self.complaints()}')
            time.sleep(0.05)
        return value

    def click(self, selector):
        """Click in the middle of the first element that `selector` finds, once it is not covered.

        The pointer goes there first. The page's own script then clicks, in one step: on a busy
        machine an alarm may move the element after its position is known, and a click of the mouse
        would hit another element.
        """
        x, y = self.until(AT % (json.dumps(selector), ''))
        self('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)
        self.until(AT % (json.dumps(selector), CLICK))

    def press(self, key):
        """Press one key, by its name: 'Escape', 'Enter', '/'."""
        text = {'Enter': '\r'}.get(key, key if len(key) == 1 else '')
        self('Input.dispatchKeyEvent', type='keyDown', key=key, **{'text': text} if text else {})
        self('Input.dispatchKeyEvent', type='keyUp', key=key)

    def type(self, text):
        self('Input.insertText', text=text)

    def complaints(self):
        """Return [exception, console warning or error, or log entry of the page], in that order."""
        self.listen()
        thrown = [params['exceptionDetails'].get('exception', {}).get('description', params)
                  for method, params in self.events if method == 'Runtime.exceptionThrown']
        printed = [[part.get('value', part.get('description')) for part in params['args']]
                for method, params in self.events if method == 'Runtime.consoleAPICalled'
                and params['type'] in ('error', 'warning', 'assert')]
        logged = [params['entry']['text'] for method, params in self.events
                  if method == 'Log.entryAdded' and params['entry']['level'] != 'verbose']
        return thrown + printed + logged

    def requested(self):
        """Return [URL that the page has requested since open()], in order."""
        self.listen()
        return [params['request']['url'] for method, params in self.events
                if method == 'Network.requestWillBeSent']
