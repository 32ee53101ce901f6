"""All manual pages of swift-lb: commands, daemons and conf files."""
from command_pages import command_page, commands, main_page, name_of
from conf_pages import options_page, server_page
from daemon_pages import daemon_page

from swift_lb.cli import parser_for


def every_page(samples):
    """Return {path in doc/man: Page} of all pages; `samples` is the folder of the conf samples."""
    parser = parser_for(None)
    pages = {'swift-lb': main_page(parser)}
    pages |= {name_of(command): command_page(command, summary)
              for command, summary in commands(parser)}
    texts = {name: (samples / f'{name}-sample').read_text(encoding='utf-8')
             for name in ('proxy-server.conf', 'object-server.conf', 'lb-server.conf')}
    pages |= {name: daemon_page(name, samples / 'lb-server.conf-sample')
              for name in ('swift-lb-agent', 'swift-lb-dns', 'swift-lb-image')}
    return {f'man1/{name}.1': page for name, page in pages.items()} | {
        'man5/lb-server.conf.5': server_page(texts.pop('lb-server.conf')),
        'man7/swift-lb-options.7': options_page(texts)}
