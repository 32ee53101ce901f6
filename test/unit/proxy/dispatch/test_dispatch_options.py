"""The options of the filter lb_dispatcher that concern clusters."""
import pytest
from swift.common.wsgi import ConfigFileError

from swift_lb.proxy import dispatcher


def test_all_wrong_options_of_clusters_are_reported_at_once_with_a_sentence_for_each():
    wrong = {'cluster_policy': 'fair', 'cluster_band': '-1', 'cluster_threshold': 'soon',
             'cluster_weights': 'US=1', 'redirect': 'always', 'cluster_polcy': 'local'}
    with pytest.raises(ConfigFileError) as error:
        dispatcher.filter_factory({'__file__': 'proxy.conf'}, **wrong)
    text = str(error.value)
    for name in wrong:
        assert 1 == text.count(f'proxy.conf, [filter:lb_dispatcher], {name}'), (name, text)
