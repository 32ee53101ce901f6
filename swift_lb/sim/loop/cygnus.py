"""Cygnus' Figure 10: closed clients on 2 to 8 servers, with thresholds that are wrong."""
from swift_lb.sim.loop.agent import STATIC
from swift_lb.sim.loop.setting import Kind, Setting

SERVERS, CLIENTS = (2, 4, 8), (2, 4, 8, 16, 32)
WARM_UP, SECONDS = 20.0, 80.0
SERVICE = 0.02      # seconds; single-threaded, as the paper's
ROUND_ROBIN = 'round robin'
THRESHOLDS = {      # of the requests that a server has when all have as many: (reject, critical)
    'much too low': (0.01, 0.02),
    'half': (0.5, 0.7),
    'just below': (0.9, 1.0),
    'absurdly high': (1e6, 1e6),
}
OWN, TLLB = 'own knee', 'tllb'
MODES = (ROUND_ROBIN, *THRESHOLDS, OWN, TLLB)


def job(servers, clients, mode, seed):
    """Return (Setting, rules, seed) of one run."""
    options = {}
    if mode in THRESHOLDS:
        reject, critical = THRESHOLDS[mode]
        working = clients / servers
        options = {'reject': reject * working, 'critical': critical * working}
    return (Setting('cygnus', 'Figure 10', kinds=(Kind(servers, 1, SERVICE),), clients=clients,
                    think=0.001, knees=mode == OWN, options=options, warm_up=WARM_UP,
                    seconds=SECONDS),
            {ROUND_ROBIN: STATIC, TLLB: TLLB}.get(mode, 'balanced'), seed)
