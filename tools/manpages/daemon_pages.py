"""Manual pages of the daemons, whose options are those of all daemons of Swift."""
import argparse

from command_pages import options, synopsis
from roff import Page, bold
from swift.common.utils import parse_options

from swift_lb.service.process import option_parser

DAEMONS = {     # name: (what it is, what it does, its section of the conf, its page of the manual)
    'swift-lb-agent': (
        'measures a node, and tells the other nodes of its load',
        'The agent runs on each node with a proxy. It measures its host and the proxy, and sends '
        'each other agent a signed report every second. From the same reports each agent computes '
        'the same instruction, which DNS and the dispatchers of its host obey.',
        'lb-agent', 'agents'),
    'swift-lb-dns': (
        'directs new clients to the proxies with the least load',
        'An authoritative name server of a zone of its own. It answers with addresses of proxies, '
        'in the shares of the instruction that the agent of its host writes.',
        'lb-dns', 'dns'),
    'swift-lb-image': (
        'decodes parts of images for the proxies of its host',
        'It decodes JPEG 2000 images in processes that are limited in memory and time, and keeps '
        'results. The proxies of its host reach it by a unix socket. The command that reads parts '
        'of images, `swift-lb image get`, is another one: swift-lb-image-get(1).',
        'lb-image', 'images'),
}


def parser_of(name, conf):
    """Return an argparse parser with the options of the daemon `name`, ours and Swift's.

    `conf` is the path of a file that exists: parse_options of Swift wants one.
    """
    theirs = option_parser()
    parse_options(theirs, once=True, test_args=[str(conf)])
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument('conf', metavar='CONFIG', help='the conf file: lb-server.conf(5)')
    for option in theirs.option_list:
        names = [*option._short_opts, *option._long_opts]
        if option.action != 'help':
            parser.add_argument(*names, action='store_true', help=option.help)
    return parser


def daemon_page(name, conf):
    """Return the Page of the daemon `name`; `conf` is the path of its conf sample."""
    summary, text, section, manual = DAEMONS[name]
    page, parser = Page(name, 1, summary), parser_of(name, conf)
    synopsis(page, parser)
    page.heading('DESCRIPTION')
    page.text(text)
    page.text(f'Its options are in the section `[{section}]` of the conf file.')
    options(page, parser)
    page.heading('SIGNALS')
    page.entry([bold('SIGTERM')], ['ends the daemon'])
    if section != 'lb-image':
        page.entry([bold('SIGHUP')], ['reads the conf again; with a fault in it, the log says so, '
                                      'and the daemon goes on as before'])
    page.heading('SEE ALSO')
    page.text(f'lb-server.conf(5), swift-lb(1), swift-init(1); doc/{manual}.md of the manual')
    return page
