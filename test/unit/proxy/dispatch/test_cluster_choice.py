"""What one worker may send to other clusters, and why reads stay here."""
import os

import pytest
from support.cluster_proxy import ClusterProxy

from swift_lb.dispatch.view import EMPTY
from swift_lb.proxy.dispatch.options import workers_of


def rate_of(proxy):
    """Return the requests per second that this worker may send to ucsb, which grants a million."""
    return proxy.filter._choice.credits._buckets['ucsb']._rate


def test_without_an_instruction_no_worker_takes_the_credit_of_all(tmp_path):
    proxy = ClusterProxy(tmp_path)
    proxy.know()
    assert rate_of(proxy) > 0.0
    proxy.filter._choice._chooser.view = EMPTY
    proxy.filter._attend_clusters()
    assert 0.0 == rate_of(proxy)


@pytest.mark.parametrize(('workers', 'count'), [('4', 4), ('0', 1)])
def test_a_worker_without_the_hosts_book_counts_those_in_the_conf(tmp_path, workers, count):
    proxy = ClusterProxy(tmp_path)      # book = worker
    proxy.filter._conf['workers'] = workers
    proxy.know()
    assert 1e6 / count == rate_of(proxy)
    assert os.cpu_count() == workers_of({}) == workers_of({'workers': 'auto'})
