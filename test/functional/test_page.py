"""The agent's page in a real browser: cards, rows, matrix, DNS shares, other clusters, alarms."""
import re
from urllib.parse import urlsplit

import pytest
from support.agent_stub import (
    NO_NAME_SERVER,
    AgentStub,
    cluster,
    clusters,
    family,
    gone,
    name_server,
    node,
    other_cluster,
    proxy,
)
from support.chromium import LIMIT, MISSING, Chromium, path_of_chromium
from support.cluster import eventually
from support.interfaces import unchanging

UNKNOWN = '\N{EN DASH}'
SIDE_HEAD = "document.querySelector('#side h2').innerText === '{}'"
DRAWN = """[...document.querySelectorAll('canvas')].filter(canvas => canvas.clientWidth && canvas
    .getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(byte => byte)
    ).length"""
ROWS = 'tbody tr'
CARDS = 'article'


@pytest.fixture(scope='module')
def browser():
    """A Chromium; without one the tests are skipped."""
    if path_of_chromium() is None:
        pytest.skip(MISSING)
    with Chromium() as one:
        yield one


@pytest.fixture
def agent():
    with AgentStub() as one:
        yield one


@pytest.fixture
def shows(browser, agent):
    """A function(document of /v1/cluster, `ready`): opens the page, waits until `ready` is true.

    `ready` is JavaScript. At the end of the test the page must have logged nothing without a text
    of `allow` in it, and have requested nothing from another host.
    """
    allowed = []

    def show(document, ready, allow=(), **size):
        agent.document = document
        allowed.extend(allow)
        browser.open(agent.url + '/', **size)
        browser.until(ready)
    with unchanging():
        yield show
        complaints = [one for one in browser.complaints()
                      if not any(part in str(one) for part in allowed)]
    strangers = {url for url in browser.requested()
                 if urlsplit(url)[:2] != urlsplit(agent.url)[:2] and urlsplit(url).scheme != 'data'}
    assert ([], set()) == (complaints, strangers)


def texts(browser, selector):
    """Return [text, with single spaces, of each visible element that the CSS `selector` finds]."""
    return browser.value(f"""[...document.querySelectorAll({selector!r})]
        .filter(one => one.offsetParent || one.getClientRects().length)
        .map(one => one.innerText.replace(/\\s+/g, ' ').trim())""")


def there_are(number, selector):
    """Return a JavaScript expression: exactly `number` elements of `selector` are visible."""
    return (f"[...document.querySelectorAll({selector!r})].filter(one => one.offsetParent).length "
            f"=== {number}")


THREE = cluster(
    node(1, load=0.318, dns=0.6, take=1.0),
    node(2, state='rejected', load=0.93, dns=0.4, keep=0.62, age=0.9, weight=0.25,
         reason='load 93% is above 85%: no new clients'),
    gone(3), rules='tllb', metric='cpu')


def test_each_node_of_a_small_cluster_is_drawn_as_a_card(browser, shows):
    shows(THREE, there_are(3, CARDS))
    assert [('p3', 'gone'), ('p2', 'rejected'), ('p1 here', 'up')] == list(zip(
        texts(browser, f'{CARDS} h2'), texts(browser, f'{CARDS} .badge'), strict=True))
    assert [[UNKNOWN, '0%', '0%', '0%'], ['93%', '40.0%', '38.0%', '0%'],
            ['32%', '60.0%', '0%', '100%']] == [
        texts(browser, f'{CARDS}:nth-child({number}) h3 b') for number in (1, 2, 3)]
    assert [['10.0.0.3:8080', 'reported never · weight 0.00'],
            ['10.0.0.2:8080', 'reported 0.9 s ago · weight 0.25']] == [
        texts(browser, f'{CARDS}:nth-child({number}) .where') for number in (1, 2)]
    assert ['never heard', 'load 93% is above 85%: no new clients', 'load 32%'] == texts(
        browser, f'{CARDS} .why')
    assert ['swift-lb the cluster as p1 sees it'] == texts(browser, 'h1')
    assert ['rules tllb by CPU', 'instruction 12 expires in 4.2 s'] == texts(browser, '.fact')
    assert ['live'] == texts(browser, '#pulse')
    assert ['1/3 nodes up', '62% mean load', '93% highest, p2', '82 requests/s', '6 in flight',
            '1 node delegates'] == texts(browser, '#sum div')
    assert browser.until(f'{DRAWN} === 14')     # two of all nodes, four a node


PIXELS = """(() => {{
    const canvas = document.getElementById('chart1'), box = canvas.box, y = {y};
    const x = (box.left + box.right) / 2, pen = canvas.getContext('2d');
    const data = pen.getImageData(x, y, 1, {high}).data;
    return Array.from({{length: {high}}}, (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
}})()"""


def test_the_load_chart_has_a_nodes_line_at_its_load(browser, shows):
    shows(THREE, there_are(3, CARDS), allow=['willReadFrequently'])
    browser.until('past.newest !== null && past.at("p2", app.doc.now - 400) !== null')
    browser.value('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    magenta = (0xb3, 0x34, 0x8a)                # of the second node
    for load, there in ((0.93, True), (0.6, False)):
        pixels = browser.value(PIXELS.format(y=f'box.y({load}) - 2', high=5))
        assert there == any(max(abs(a - b) for a, b in zip(magenta, pixel, strict=True)) < 60
                            for pixel in pixels)


def test_the_plot_of_all_nodes_has_darker_rows_for_more_load(browser, shows):
    shows(cluster(*(node(number, load=0.7 ** number) for number in range(10)), metric='cpu'),
          there_are(10, ROWS), allow=['willReadFrequently'])
    browser.until('past.newest !== null && past.at("p2", app.doc.now - 400) !== null')
    browser.value('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    strips = [sum(browser.value(PIXELS.format(y=f'box.below * {row / 10 + 0.05}', high=1))[0])
              for row in range(10)]
    assert strips == sorted(strips)             # the most loaded is the first
    assert len({*strips}) == 10


def a_hundred():
    """Return [entry of /v1/cluster] of nodes p1 to p100; at least one is in each state."""
    odd = {17: 'late', 23: 'rejected', 42: 'draining', 71: 'critical', 88: 'disabled'}
    return [gone(90) if number == 90 else node(
        number, state=odd.get(number, 'up'), dns=0.01, load=number / 128,
        reason=f'this is why {number}') for number in range(1, 101)]


def test_a_large_cluster_is_a_table_with_the_worst_nodes_first(browser, shows):
    shows(cluster(*a_hundred()), there_are(100, ROWS))
    assert ['p90 gone', 'p71 critical', 'p23 rejected', 'p17 late', 'p42 draining', 'p88 disabled',
            'p81 up'] == [      # of those alike, up to a quarter more, by name, lest they jump
        f'{name} {state}' for name, state in zip(texts(browser, f'{ROWS} th')[:7],
                                                 texts(browser, f'{ROWS} .badge')[:7], strict=True)]
    assert ['1 gone', '1 critical', '1 rejected', '1 late', '1 draining', '1 disabled', '94 up'
            ] == texts(browser, '#states button')
    assert ['p71', 'critical', '0.555', '1.0%', '0%', '0%', '0.4 s', 'this is why 71'] == [
        text for text in texts(browser, f'{ROWS}:nth-child(2) > *') if text]
    assert browser.until(f'{DRAWN} > 20')       # of the visible rows


def test_a_click_on_a_row_opens_the_details_of_its_node(browser, shows):
    nodes = [*a_hundred()]
    nodes[22]['metrics'] |= {'image_workers': 8.0, 'image_wait': 0.25, 'image_decode': 8e-8}
    shows(cluster(*nodes), there_are(100, ROWS))
    browser.click(f'{ROWS}:nth-child(3)')
    browser.until("!document.querySelector('#side').hidden")
    assert ['p23'] == texts(browser, '#side h2')
    assert ['this is why 23 rejected: so loaded that it gets no delegated requests'] == texts(
        browser, '#side .why')
    names, values = texts(browser, '#side dt'), texts(browser, '#side dd')
    assert {'CPU': '31%', 'Memory': '52%', 'Network': '1.2%', 'Disk': '20%',
            'Requests in flight': '3', 'Requests': '41/s', 'Response time': '12 ms',
            'Decoders of images': '8', 'Wait for a decoder': '250 ms', 'image_decode': '8e-8',
            'Proxy': '10.0.0.23:8080', 'Agent': '10.0.0.23:6208',
            'Weight; the largest is 1': '1.00',
            'Fraction of its requests that it serves': '100%',
            'Its instruction': "the same as p1's", 'Its clock, ahead of ours by': '+10 ms',
            } == dict(zip(names, values, strict=True))
    assert '#node=p23' == browser.value('location.hash')
    browser.press('j')
    browser.until(SIDE_HEAD.format('p17'))
    browser.press('Escape')
    browser.until("document.querySelector('#side').hidden")
    assert 'p17' == browser.value('document.activeElement.node')


def test_keys_on_the_page_filter_rows_and_open_a_nodes_details(browser, shows):
    shows(cluster(*a_hundred()), there_are(100, ROWS))
    browser.press('/')
    browser.type('WHY p9')
    browser.until(there_are(10, ROWS))          # 9, 91 to 99
    assert ['10 of 100 nodes'] == texts(browser, '#count')
    browser.press('Escape')
    browser.until(there_are(100, ROWS))
    browser.value(f"document.querySelector('{ROWS}').focus()")
    for key in ('ArrowDown', 'ArrowDown', 'Enter'):
        browser.press(key)
    browser.until(SIDE_HEAD.format('p23'))


def test_rows_of_nodes_can_be_filtered_by_state_sorted_by_load(browser, shows):
    shows(cluster(*a_hundred()), there_are(100, ROWS))
    for state in ('critical', 'draining'):
        browser.click(f'#states [data-state={state}]')
    browser.until(there_are(2, ROWS))
    browser.click('#states [aria-pressed=true]')
    browser.click('#states [aria-pressed=true]')
    browser.click('thead .c-load button')
    browser.until(f"document.querySelector('{ROWS} th').innerText === 'p100'")
    assert 'descending' == browser.value("document.querySelector('th.c-load').ariaSort")
    browser.click('thead .c-load button')
    browser.until(f"document.querySelector('{ROWS} th').innerText.startsWith('p1')")
    assert ['p1 here', 'p2', 'p3'] == texts(browser, f'{ROWS} th')[:3]
    assert 'p90' == texts(browser, f'{ROWS} th')[-1]        # unknown loads come last


def history_requests(agent):
    """Return the paths of the requests for the history that have come to the agent's stub."""
    return [path for path, _key in agent.requests if path.startswith('/v1/history')]


def test_the_page_fetches_only_newer_points_of_the_history(browser, agent, shows):
    shows(THREE, there_are(3, CARDS))
    browser.until('past.newest !== null')
    browser.value('past.asked = -Infinity')
    newest = browser.value('past.newest')
    assert eventually(lambda: len(history_requests(agent)) > 1, LIMIT)
    first, second = history_requests(agent)[:2]
    assert first == '/v1/history'
    assert float(second.removeprefix('/v1/history?since=')) >= newest
    assert browser.value("past.of('p1').length") >= 180


def test_names_with_html_in_them_are_shown_as_text(browser, agent, shows):
    evil = '<img src=x onerror="alert(1)">'
    agent.dns = dns_of(name_server(family(proxy(1, node=evil, address=evil, unreachable=evil,
                                              left_out=evil), family=evil, mode=evil), zone=evil))
    shows(cluster(node(1, node=evil, reason=f'<b>{evil}</b>', proxy=evil, state=evil,
                       metrics={evil: 1.0}, flows={evil: 2.0, '__proto__': 1.0}),
                  node=evil, rules=evil, metric=evil, faults=[evil]),
          there_are(1, CARDS))
    browser.until(there_are(1, '#dns .bar'))
    browser.click(CARDS)
    browser.until("!document.querySelector('#side').hidden")
    assert [0, [f'{evil} here'], [f'<b>{evil}</b>'], [f'Fault {evil}']] == [
        browser.value("document.querySelectorAll('img, main b b').length"),
        texts(browser, f'{CARDS} h2'), texts(browser, f'{CARDS} .why'),
        texts(browser, '#alarms div')]
    assert f'{evil}: unknown to this page' in texts(browser, '#side .why')[0]


def test_the_page_is_grey_while_the_agent_does_not_answer(browser, agent, shows):
    shows(THREE, there_are(3, CARDS), allow=['ERR_EMPTY_RESPONSE'])
    agent.silent = True
    browser.until("document.body.className.includes('silent')")
    assert re.fullmatch(r'No answer from the agent since \d+ s\. All data are from that time\.',
                        texts(browser, '#alarms div')[0])
    assert re.fullmatch(r'no answer since \d+ s', texts(browser, '#pulse')[0])
    assert 'grayscale(1)' == browser.value(
        "getComputedStyle(document.querySelector('main')).filter")
    agent.silent = False
    browser.until("document.querySelector('#pulse').innerText === 'live'"
                  " && !document.querySelector('#alarms div')")


CELLS = "#flows [role=cell]"
HEADS = "#flows button"


def test_the_matrix_shows_which_node_delegates_to_which(browser, shows):
    shows(cluster(node(1, flows={'p2': 31.2, 'p3': 0.06}), node(2, state='rejected'),
                  node(3, flows={'p2': 4.0})), there_are(9, CELLS))
    assert ['Delegated requests 35/s in all'] == texts(browser, '#flows h2')
    assert ['from ↓ to → p1 p2 p3', 'p1 31 0.1', 'p2', 'p3 4'] == [
        ' '.join(row.split()) for row in browser.value(
            "[...document.querySelectorAll('#flows [role=row]')].map(one => one.innerText)")]
    assert ['p1 delegates 31/s to p2', 'p3 delegates 4/s to p2'] == browser.value(
        f"[1, 7].map(place => document.querySelectorAll('{CELLS}')[place].title)")
    tints = browser.value(f"[...document.querySelectorAll('{CELLS}')].map(one => "
                          "Math.round(one.style.getPropertyValue('--v') * 40))")
    assert [0, 31, 0, 0, 0, 0, 0, 4, 0] == tints
    assert 2 == browser.value("document.querySelectorAll('#flows .mark').length")   # p2, twice


def test_the_matrix_has_the_16_largest_senders_and_receivers(browser, shows):
    nodes = a_hundred()
    for number in range(40):
        nodes[number]['flows'] = {f'p{60 + number % 20}': 1.0 + number}
    shows(cluster(*nodes), there_are(256, CELLS))
    names = texts(browser, HEADS)
    assert [f'p{number}' for number in range(64, 80)] == names[:16]
    assert [f'p{number}' for number in range(25, 41)] == names[16:]
    assert ['Delegated requests 820/s in all; the 16 largest'] == texts(browser, '#flows h2')


@pytest.mark.parametrize(('names', 'written'), [
    (('p1.example.com', 'p2.example.com'), ['p1', 'p2']),
    (('p.example.com', 'p.example.org'), ['p.example.com', 'p.example.org'])])
def test_the_matrix_omits_domains_if_host_names_stay_distinct(browser, shows, names, written):
    shows(cluster(*(node(1, node=name, flows={names[1]: 1.0}) for name in names)),
          there_are(4, CELLS))
    assert written * 2 == texts(browser, HEADS)
    assert f'{names[0]}, up' == browser.value(f"document.querySelector('{HEADS}').title")


def test_a_click_in_the_matrix_opens_the_details_of_a_node(browser, shows):
    shows(cluster(*(node(number, flows={'p9': 3.0} if number == 2 else {})
                    for number in range(1, 13))), there_are(1, CELLS))
    browser.click(CELLS)
    browser.until(SIDE_HEAD.format('p2'))
    assert ['p2'] == browser.value(
        "[...document.querySelectorAll('#flows .chosen')].map(one => one.innerText)")
    browser.press('Escape')
    browser.until("document.querySelector('#side').hidden")
    browser.value(f"document.querySelectorAll('{HEADS}')[1].focus()")
    for key in ('ArrowUp', 'Enter'):
        browser.press(key)
    browser.until(SIDE_HEAD.format('p9'))
    assert [0, -1] == browser.value(
        f"[...document.querySelectorAll('{HEADS}')].map(one => one.tabIndex)")


def test_the_matrix_keeps_a_node_30_s_after_its_last_delegation(browser, agent, shows):
    shows(cluster(node(1, flows={'p2': 8.0}), node(2), node(3)), there_are(9, CELLS))
    browser.value(f"window.kept = document.querySelectorAll('{CELLS}')[1]")
    browser.value(f"document.querySelector('{HEADS}').focus()")
    agent.document = cluster(node(1, flows={'p3': 2.5}), node(2), node(3))
    browser.until(f"document.querySelectorAll('{CELLS}')[2].innerText === '2.5'")
    agent.document = cluster(node(1), node(2), node(3))
    browser.until(f"document.querySelectorAll('{CELLS}')[2].innerText === ''")
    browser.value('flows.at = -Infinity; show()')
    assert [True, True, False] == browser.value(
        f"[kept === document.querySelectorAll('{CELLS}')[1], "
        f"document.activeElement === document.querySelector('{HEADS}'), "
        "document.querySelector('#flows').hidden]")
    browser.value('for (const seen of flows.seen) for (const name of seen.keys()) '
                  'seen.set(name, app.at - 31); flows.at = -Infinity; show()')
    assert [] == texts(browser, '#flows')


def test_the_page_asks_for_the_agents_key_and_sends_it(browser, agent, shows):
    agent.key = 'geheim'
    shows(THREE, "document.querySelector('#alarms input') !== null", allow=['401'])
    assert texts(browser, '#alarms div')[0].startswith(
        'Not allowed by the agent: it asks for its key.')
    browser.click('#alarms input')
    browser.type('geheim')
    browser.press('Enter')
    browser.until(there_are(3, CARDS))
    assert {None, 'geheim'} == {key for path, key in agent.requests if path == '/v1/cluster'}
    browser.value('sessionStorage.clear()')


SHARES = name_server(
    family(proxy(1, target=0.4, given_share=0.391), proxy(2, target=0.4, given_share=0.409),
           proxy(3, target=0.2, given_share=0.2, unreachable='Connection refused'),
           proxy(4, target=0.0, given_share=0.001, left_out='late')),
    family(proxy(1, address='2001:db8::1', target=1.0, given_share=None), family='AAAA', size=1))


def dns_of(document, fault=None):
    """Return the agent's document /v1/dns, with the DNS service's own `document`, or a fault."""
    return NO_NAME_SERVER | {'configured': True, 'fault': fault, 'dns': document}


def test_the_page_draws_dns_shares_beside_their_targets(browser, agent, shows):
    agent.dns = dns_of(SHARES)
    shows(THREE, there_are(5, '#dns .bar'))
    assert ['DNS lb.example.com · by the instruction · TTL 60 s · given to new clients in the last '
            '5 min / target'] == texts(browser, '#dns h2')
    assert ['A: 2 of 4 in an answer, mode membership', 'AAAA: 1 of 1 in an answer, mode membership'
            ] == texts(browser, '#dns h3')
    assert ['p1 39.1% / 40.0%', 'p2 40.9% / 40.0%', 'p3 20.0% / 20.0%', 'p4 0.1% / late',
            f'p1 {UNKNOWN} / 100%'] == texts(browser, '#dns .bar')
    assert ['p3, 10.0.0.3, not reached from here: Connection refused'] == browser.value(
        "[...document.querySelectorAll('#dns .bar')].map(one => one.title).slice(2, 3)")
    drawn = browser.value("""[...document.querySelectorAll('#dns i')].slice(0, 4).map(one =>
        ['--v', '--t'].map(name => Math.round(one.style.getPropertyValue(name) * 1000)))""")
    assert [[956, 978], [1000, 978], [489, 489], [2, 0]] == drawn


def test_the_page_says_if_the_dns_service_does_not_answer(browser, agent, shows):
    shows(THREE, there_are(3, CARDS))
    browser.until('app.dns !== null')
    assert [] == texts(browser, '#dns')
    agent.dns = dns_of(None, 'the DNS service of this node, at 127.0.0.1, port 6210, does not '
                           'answer: Connection refused')
    browser.value('app.dnsAsked = -Infinity')
    browser.until(there_are(1, '#dns'))
    assert [f'DNS {agent.dns["fault"]}'] == texts(browser, '#dns')


SILENT = other_cluster('eu', state='gone', age=None, nodes=None, load=None, least_load=None,
                       rtt=None, rtt_error=None, lost=None, bandwidth=None, region=None,
                       credit=None, granted=0.0, fetched=0.0, redirected=0.0, predicted=None,
                       measured=None)
LINKS = '#map .link'


def test_the_page_draws_other_clusters_with_links_flows_and_seconds(browser, agent, shows):
    agent.clusters = clusters(SILENT, other_cluster(
        'us.ucsb', region=2, image={'workers': 8, 'wait': 0.25}), cut_off=True)
    shows(THREE, there_are(2, LINKS))
    assert ["Other clusters 1 of 2 up, as this agent hears them; reads of this host's proxies "
            'cut off: most are silent, so no read leaves'] == texts(browser, '#others h2')
    assert ['us.ksu this cluster'] == texts(browser, '#map .home')
    assert ['round trip unknown bandwidth unknown',
            '80 ms \N{PLUS-MINUS SIGN} 2.0 ms \N{MIDDLE DOT} 1% lost 2.4 MB/s '
            '\N{PLUS-MINUS SIGN} 150 kB/s'] == texts(browser, LINKS)
    assert ['eu gone heard never takes \N{EN DASH} from here \N{MIDDLE DOT} may send 0/s',
            'us.ucsb up 3 nodes up \N{MIDDLE DOT} load 0.32, least 0.25 '
            '\N{MIDDLE DOT} decoders 8, wait 250 ms \N{MIDDLE DOT} region 2 '
            '\N{MIDDLE DOT} heard 0.7 s ago takes 40/s from here \N{MIDDLE DOT} may send 12/s'
            ] == texts(browser, '#map .there')
    assert ['0/s fetched 0/s redirected', '7.3/s fetched 0.5/s redirected'] == texts(
        browser, '#map .sent')
    assert [f'predicted {UNKNOWN} measured {UNKNOWN}', 'predicted 410 ms measured 390 ms'] == texts(
        browser, '#map .times')
    assert [['gone', '1.0px'], ['up', '6.0px']] == browser.value(
        "[...document.querySelectorAll('#map path')].filter(one => one.dataset.state)"
        ".map(one => [one.dataset.state, one.style.getPropertyValue('--w')])")


DECODERS = {'image_wait': 0.25, 'image_workers': 4.0, 'image_decode': 8e-8, 'image_png': 1.4e-7,
            'image_raw': 5e-9, 'image_coefficients': 1.6e-7}
PARTS = {'image_d1': 0.0, 'image_d2': 3.0, 'image_d3': 0.0, 'image_d4': 1.0, 'image_hits': 0.3,
         'image_saved': 1.25}
IMAGES = '#points [role=cell]'


def test_parts_of_images_are_shown_for_each_node_with_decoders(browser, shows):
    shows(cluster(node(1, metrics=DECODERS | PARTS),
                  node(2, metrics=DECODERS | {'image_wait': 0.0, 'image_workers': 8.0}), node(3)),
          f"document.querySelectorAll('{IMAGES}').length === 24")
    assert ['all 4/s 1.25 s/s 30% 83 ms 12 D2 75% \N{MIDDLE DOT} D4 25%',
            'p1 4/s 1.25 s/s 30% 250 ms 4 D2 75% \N{MIDDLE DOT} D4 25%',
            f'p2 0/s {UNKNOWN} {UNKNOWN} 0 ms 8 no part in the last minute'] == [
        ' '.join(row.split()) for row in browser.value(
            "[...document.querySelectorAll('#points [role=row]')].slice(1)"
            ".map(row => row.innerText)")]
    widths = browser.value("[...document.querySelectorAll('#points .strip')].map(one => "
                           "[...one.children].map(i => i.clientWidth / one.clientWidth))")
    assert [[0, 0.75, 0, 0.25]] * 2 + [[0] * 4] == [
        [round(part, 2) for part in row] for row in widths]


def test_a_page_without_decoders_shows_no_images(browser, shows):
    shows(THREE, there_are(3, CARDS))
    assert [] == texts(browser, '#images')


def test_names_of_clusters_with_html_in_them_are_shown_as_text(browser, agent, shows):
    name = '<img src=x onerror=alert(1)>'
    agent.clusters = clusters(other_cluster(name), here='<b>us</b>')
    shows(THREE, there_are(1, LINKS))
    assert ([name], ['<b>us</b> this cluster']) == (
        texts(browser, '#map .there > b'), texts(browser, '#map .home'))
    assert 0 == browser.value("document.querySelectorAll('#others img').length")


@pytest.mark.parametrize('document', [clusters(), clusters(other_cluster('eu'), here=None)])
def test_a_page_without_other_clusters_draws_none(browser, agent, shows, document):
    agent.clusters = document
    shows(THREE, there_are(3, CARDS))
    browser.until('app.others !== null')
    assert [] == texts(browser, '#others')


PAGES = {       # document, document of DNS, expression that it is shown, {selector: texts}
    'alarms': (
        cluster(node(1), node(2, agrees=False), node(3), panic=True, expires_in=-1.0,
                faults=['the instruction file is not written: No space left on device']),
        None, "document.querySelectorAll('#alarms div').length === 3", {
            '#alarms div': [
                'Panic More than half of the nodes looked bad, so all are treated as up.',
                'Fault the instruction file is not written: No space left on device',
                'Disagreement p2 carries out another instruction than p1.'],
            '#told': ['instruction 12 has expired'], '#states button': ['1 disagrees', '3 up'],
            f'{CARDS} h2': ['p2 ≠ disagrees', 'p1 here', 'p3']}),
    'no instruction': (
        cluster(generation=None, expires_in=None), None,
        "document.querySelector('#start').innerText.includes('No instruction')", {
            '#start': ['No instruction yet The agent on p1 knows no node.'],
            '#told': ['no instruction yet']}),
    'no node delegates': (
        cluster(node(1), node(2, flows=None), node(3, flows={'p1': None, 'p2': 0.0})), None,
        there_are(3, CARDS), {'#flows': []}),
    'DNS without an instruction': (
        THREE, dns_of(SHARES | {'without_instruction': '/run/it.json has expired', 'ttl': 30}),
        there_are(5, '#dns .bar'), {'#dns h2': [
            'DNS lb.example.com · no instruction: /run/it.json has expired · TTL 30 s · given to '
            'new clients in the last 5 min / target']}),
}


@pytest.mark.parametrize(('document', 'dns', 'ready', 'shown'), PAGES.values(), ids=PAGES)
def test_the_page_shows_alarms_and_names_missing_data(
        browser, agent, shows, document, dns, ready, shown):
    agent.dns = dns or agent.dns
    shows(document, ready)
    assert shown == {selector: texts(browser, selector) for selector in shown}
    if '≠' in str(shown):
        assert browser.value('document.title').startswith('▲ 3/3 up')


def test_the_page_shows_an_alarm_if_its_data_has_another_format(browser, shows):
    shows(cluster(format=2), "document.querySelectorAll('#alarms div').length === 1")
    browser.until("document.body.className.includes('silent')")
    assert texts(browser, '#alarms div')[0].endswith(
        ': it speaks format 2 and this page reads format 1; reload the page.')


def delegating():
    """Return the document /v1/cluster of 16 nodes with long names that all delegate to all."""
    names = [f'a-proxy-with-a-long-name-{number:02}' for number in range(16)]
    return cluster(*(node(1, node=name, flows=dict.fromkeys(names, 1234.5)) for name in names))


@pytest.mark.parametrize(('width', 'height'), [(360, 740), (820, 1180), (1280, 800)])
@pytest.mark.parametrize('dark', [False, True], ids=['light', 'dark'])
def test_no_part_of_the_page_is_cut_off_at_the_right(browser, agent, shows, width, height, dark):
    agent.dns = dns_of(SHARES)
    agent.clusters = clusters(*(other_cluster(f'us.a-cluster-with-a-long-name-{number}', region=1)
                                for number in range(3)), SILENT)
    images = cluster(*(node(number, node=f'a-node-with-a-long-name-{number}',
                            metrics=DECODERS | dict.fromkeys(PARTS, 12345.6))
                       for number in range(3)))
    for document, ready in ((THREE, f'{there_are(3, CARDS)} && {there_are(4, LINKS)}'),
                            (images, f"document.querySelectorAll('{IMAGES}').length === 32"),
                            (cluster(*a_hundred()), there_are(100, ROWS)),
                            (delegating(), there_are(256, CELLS))):
        shows(document, ready, width=width, height=height, dark=dark)
        assert 0 == browser.value('document.documentElement.scrollWidth - innerWidth')
        assert [] == browser.value(f"""[
            ...document.querySelectorAll(
                '{ROWS} > *, {CARDS} > *, .bar > *, #map > *, {IMAGES}')].filter(
            one => one.getBoundingClientRect().right > innerWidth).map(one => one.outerHTML)""")
