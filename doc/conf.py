"""Sphinx's settings for the pages of the manual, which are Markdown: `tox -e docs`."""
project = 'swift-lb'
copyright = 'the developers of swift-lb'
extensions = ['myst_parser', 'openstackdocstheme']
source_suffix = {'.md': 'markdown'}
exclude_patterns = ['build', 'man', 'static', 'templates']
html_theme = 'openstackdocs'
html_title = 'swift-lb'
# Pages of another project: not the theme's counter of visitors, badges, licence and menus, and the
# search of these pages instead of OpenStack's.
html_theme_options = {'analytics_tracking_code': '', 'display_badge': False, 'sidebar_search': True}
templates_path = ['templates']
html_static_path, html_css_files = ['static'], ['manual.css']
openstackdocs_auto_name = False     # `project` is the name
openstackdocs_auto_version = False  # the pages are of the checkout that they are in
myst_heading_anchors = 4            # links such as replicas.md#one-book-a-host
