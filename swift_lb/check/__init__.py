"""Is a conf file right? What would a start refuse, and what would be in force?

Nothing is started or written. proxy_server.py, object_server.py and lb_server.py examine a file of
their kind; conf_kinds.py tells these apart.
"""
import swift_lb.service.dns  # noqa: F401 before Swift: that package is about eventlet and dnspython
