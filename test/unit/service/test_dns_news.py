"""What the DNS service logs: each change once, faults of a process once a minute."""
from support.dns_reports import BOTH, TARGET, datagram, document_of

from swift_lb.service.dns.news import LOG_INTERVAL, News
from swift_lb.service.dns.tally import STALE

LOST = datagram('udp0', 1, instruction='/run/it.json has expired 2.0 s ago')
WITHOUT = ('answers are without an instruction, so that all addresses have equal chances: '
           '/run/it.json has expired 2.0 s ago')


def test_a_service_without_faults_logs_nothing():
    assert [] == News(8080).of(document_of(datagram()), 0.0)


def test_the_loss_and_return_of_the_instruction_are_logged_once():
    news = News(8080)
    others = datagram('udp0', 1, instruction='/run/it.json has expired 3.0 s ago')
    assert [[(True, WITHOUT)], [], [(False, 'answers follow an instruction again')], []] == [
        news.of(document_of(one), 0.0) for one in (LOST, others, datagram(), datagram())]


def test_without_instruction_mode_rfc2136_logs_that_updates_stop():
    result = document_of(LOST) | {'mode': 'rfc2136'}
    assert [(True, 'updates are without an instruction, so that none is sent: '
                   '/run/it.json has expired 2.0 s ago')] == News(8080).of(result, 0.0)


def test_nothing_is_logged_before_a_process_has_reported():
    assert [] == News(8080).of(document_of(), 0.0)


def test_panic_is_logged_when_it_begins_and_when_it_ends():
    news = News(8080)
    panic = datagram(targets={'A': TARGET | {'panic': True}, 'AAAA': TARGET})
    assert [[(True, 'panic: most nodes look bad, so that A records of bad ones are in answers '
                    'too')], [], [(False, 'the panic is over: A records are of good nodes only')]
            ] == [news.of(document_of(one), 0.0) for one in (panic, panic, datagram())]


def test_faults_of_a_process_are_logged_at_most_once_a_minute():
    news, result = News(8080), document_of(*BOTH)
    def told(faults, now):
        result['processes'][0]['faults'] = faults
        return [sentence for _bad, sentence in news.of(result, now)]
    assert ['faults of process tcp: 5, the last OSError(28)'] == told(5, 0.0)
    assert [] == told(5, LOG_INTERVAL) == told(5, 2 * LOG_INTERVAL)
    assert ['faults of process tcp: 1, the last OSError(28)'] == told(6, 3 * LOG_INTERVAL)
    assert [] == told(99, 3.5 * LOG_INTERVAL)
    assert ['faults of process tcp: 93, the last OSError(28)'] == told(99, 4 * LOG_INTERVAL)


def test_a_process_without_reports_is_logged():
    news = News(8080)
    silent = document_of(datagram(), now=STALE + 1)
    assert [[], [(True, 'process udp0, pid 100, has not reported for 6 s')], [],
            [(False, 'process udp0 reports again')]] == [
        news.of(one, 0.0)
        for one in (document_of(datagram()), silent, silent, document_of(datagram()))]


def test_a_proxys_unreachable_address_is_logged():
    news, place = News(8443), ('n2', '192.0.2.2')
    where = 'n2: its address 192.0.2.2, port 8443, can'
    assert [[(True, f'{where} not be reached from here: Connection refused; answers are what they '
                    'were')], [], [(False, f'{where} be reached again')]] == [
        news.of(document_of(datagram(), reached={place: fault}), 0.0)
        for fault in ('Connection refused', 'nothing came for 2 s', None)]
