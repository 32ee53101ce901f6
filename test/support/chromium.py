"""A real Chromium without a window, told what to do over a pipe in its DevTools protocol.

Needs no driver and no package of Python's: `--remote-debugging-pipe` takes JSON messages, each
ended by a NUL, on file 3 and answers on file 4. https://chromedevtools.github.io/devtools-protocol/
"""
import base64
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
         '--no-sandbox',    # not for root, nor in most containers; what it opens is our own page
         '--disable-dev-shm-usage', '--disable-background-networking', '--disable-sync',
         '--disable-component-update', '--disable-extensions', '--no-default-browser-check',
         '--mute-audio', '--force-color-profile=srgb', '--hide-scrollbars')
LONGEST = 30.0      # seconds anything may take


def found():
    """Return the path of Chromium, None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Chromium:
    """One browser, and its one page, while the context lasts."""

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs, self._write = os.pipe()
        self._read, answers = os.pipe()
        command = (found(), *FLAGS, f'--user-data-dir={self._folder.name}', 'about:blank')

        def hand_over():
            spare = os.dup(theirs), os.dup(answers)     # either may be 3 or 4 by chance
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
            self._process.wait(LONGEST)
        except (OSError, AssertionError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._read)
        os.close(self._write)
        self._folder.cleanup()

    def __call__(self, method, **params):
        """Send one command and return its result."""
        number = next(self._numbers)
        message = {'id': number, 'method': method, 'params': params}
        if self._session:
            message['sessionId'] = self._session
        os.write(self._write, json.dumps(message).encode() + b'\0')
        deadline = time.monotonic() + LONGEST
        while True:
            found = self._message(deadline - time.monotonic())
            assert found, f'{method}: Chromium says nothing'
            if found.get('id') == number:
                assert 'error' not in found, f'{method}: {found}'
                return found['result']
            self.events.append((found['method'], found['params']))

    def listen(self):
        """Take what the browser has told meanwhile."""
        while found := self._message(0):
            if 'method' in found:
                self.events.append((found['method'], found['params']))

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
        """Show the page in this size, and in a light or a dark scheme."""
        self('Emulation.setDeviceMetricsOverride', width=width, height=height,
             deviceScaleFactor=scale, mobile=width < 600)
        self('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def value(self, expression):
        """Return what a JavaScript expression, or the promise it gives, comes to."""
        found = self('Runtime.evaluate', expression=expression, returnByValue=True,
                     awaitPromise=True)
        assert 'exceptionDetails' not in found, f'{expression}: {found["exceptionDetails"]}'
        return found['result'].get('value')

    def until(self, expression, seconds=LONGEST):
        """Wait until an expression is true, and return what it is then."""
        deadline = time.monotonic() + seconds
        while not (value := self.value(expression)):
            assert time.monotonic() < deadline, (
                f'not within {seconds:g} s: {expression}; {self.complaints()}')
            time.sleep(0.05)
        return value

    def click(self, selector):
        """Click in the middle of the first element that `selector` finds, as a mouse does."""
        x, y = self.until(
            f'(() => {{ const e = document.querySelector({json.dumps(selector)});'
            "if (!e) return null; e.scrollIntoView({block: 'center'});"
            'const b = e.getBoundingClientRect();'
            'return [b.x + b.width / 2, b.y + b.height / 2] })()')
        for kind in ('mouseMoved', 'mousePressed', 'mouseReleased'):
            self('Input.dispatchMouseEvent', type=kind, x=x, y=y, clickCount=1,
                 button='none' if kind == 'mouseMoved' else 'left')

    def press(self, key):
        """Press one key, by its name: 'Escape', 'Enter', '/'."""
        text = {'Enter': '\r'}.get(key, key if len(key) == 1 else '')
        self('Input.dispatchKeyEvent', type='keyDown', key=key, **{'text': text} if text else {})
        self('Input.dispatchKeyEvent', type='keyUp', key=key)

    def type(self, text):
        """Type a text where the cursor is."""
        self('Input.insertText', text=text)

    def screenshot(self, path):
        """Write what is to be seen as a PNG."""
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self('Page.captureScreenshot')['data']))

    def complaints(self):
        """Return what the page has thrown, logged as an error, or been refused."""
        self.listen()
        thrown = [params['exceptionDetails'].get('exception', {}).get('description', params)
                  for method, params in self.events if method == 'Runtime.exceptionThrown']
        said = [[part.get('value', part.get('description')) for part in params['args']]
                for method, params in self.events if method == 'Runtime.consoleAPICalled'
                and params['type'] in ('error', 'warning', 'assert')]
        logged = [params['entry']['text'] for method, params in self.events
                  if method == 'Log.entryAdded' and params['entry']['level'] != 'verbose']
        return thrown + said + logged

    def requested(self):
        """Return the URLs that the page has asked for."""
        self.listen()
        return [params['request']['url'] for method, params in self.events
                if method == 'Network.requestWillBeSent']
