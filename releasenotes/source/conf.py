"""Sphinx's settings for the release notes: `tox -e releasenotes`."""
project = 'swift-lb release notes'
copyright = 'the developers of swift-lb'
extensions = ['openstackdocstheme', 'reno.sphinxext']
html_theme = 'openstackdocs'
html_title = 'swift-lb release notes'
html_theme_options = {'analytics_tracking_code': '', 'display_badge': False}    # as in doc/conf.py
templates_path = ['../../doc/templates']
html_static_path, html_css_files = ['../../doc/static'], ['manual.css']
openstackdocs_auto_name = False     # `project` is the name
openstackdocs_auto_version = False  # the notes are of many versions
