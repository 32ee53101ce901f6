"""The sections of storage policies, [proxy-server:policy:N], in the conf of a proxy."""
import configparser
import os

from swift.common.utils import NicerInterpolation, read_conf_dir

from swift_lb.proxy import seam
from swift_lb.replica_options import own_options


def policy_sections(conf):
    """Return {storage policy index, a str: {option: text}} of the policies' sections in a conf.

    `conf` are the options of the app, which name the file. A lb_ option that a policy has from
    [DEFAULT] is left out. Raises configparser.Error if a section, of any kind, is wrong.
    """
    sections = seam.per_policy_conf(conf)
    defaults = read_defaults(conf['__file__'])
    return {index: own_options(section, defaults) for index, section in sections.items()}


def read_defaults(path):
    """Return [DEFAULT] as it is in the conf file or directory at `path`, interpolated.

    PasteDeploy's global_conf can differ from it, since a line `set` in a section changes that.
    """
    parser = configparser.ConfigParser(interpolation=NicerInterpolation())
    parser.optionxform = str    # as in Swift, LB_POLICY is not lb_policy
    if os.path.isdir(path):
        read_conf_dir(parser, path)
    else:
        parser.read(path)
    return dict(parser.items(parser.default_section))
