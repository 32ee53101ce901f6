"""What is measured: a lab that takes one policy after the other, or a cluster as it is."""
from swift_lb.errors import EvaluationError, SwiftLBError
from swift_lb.evaluation import targets, workloads
from swift_lb.evaluation.measure import do
from swift_lb.evaluation.node_share import reads_of
from swift_lb.lab import conf
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

# Hundreds of workers that come at once must not make Swift wait in vain for one of its two
# connections to memcached, and then do without it for a minute: it could check no token, and all
# that would be measured is 401. The names are memcached's alone, so [DEFAULT] may hold them.
PATIENT = {'DEFAULT:memcache_max_connections': '100', 'DEFAULT:pool_timeout': '10',
           'DEFAULT:connect_timeout': '5', 'DEFAULT:io_timeout': '10'}


def access_of(lab):
    """Return the workloads.Access of the account of a Lab, through all its proxies."""
    urls = [f'{endpoint}{lab.storage_url().removeprefix(lab.endpoint)}'
            for endpoint in lab.endpoints]
    if not lab.memcached:
        return workloads.open_to_all(urls)
    return workloads.login(f'{lab.endpoint}/auth/v1.0', conf.USER, conf.KEY, endpoints=urls)


class LabSubject:
    """A lab of our own, with the objects in it, and the nodes as unlike as the profile says."""

    processes = 1     # drivers: a lab answers a few hundred requests/s, and needs the other cores

    def __init__(self, plan, name, port):
        """Take the Plan, and the lab's name and first port."""
        self._plan, self._name, self._port, self._lab = plan, name, port, None

    def start(self):
        """Start the lab, write the objects while all nodes are fast, then handicap them."""
        plan, place = self._plan, self._plan.place
        self._lab = Lab.up(LabSpec(
            name=self._name, nodes=place.nodes, devices=place.devices, proxies=place.proxies,
            workers=plan.proxy_workers[0], replicas=place.replicas, port=self._port,
            log_level='WARNING'))
        for size in plan.sizes:
            do(workloads.prepare(self.access, size, plan.objects), self.access.endpoints,
               self.processes)
        self._lab.handicap(profile=place.profile)

    @property
    def well(self):
        """Whether every process of the lab lives."""
        return self._lab is not None and all(
            process.alive for process in self._lab.processes.values())

    @property
    def access(self):
        """The workloads.Access of the lab's account."""
        return access_of(self._lab)

    def ready(self, step):
        """Have freshly started proxies, which know nothing, do what `step` is about."""
        app, options = (targets.alone(step.node, self.nodes()) if step.node else
                        targets.settings(step.policy, self.nodes()))
        self._lab.restart_proxies(
            options | PATIENT | {'DEFAULT:workers': str(step.proxy_workers)}, app)

    def nodes(self):
        """Return the targets.Node of every storage node."""
        return [targets.Node(number, self._lab.node_address(number)[0], capacity)
                for number, capacity in self._lab.nodes.capacity().items()]

    def counts(self):
        """Return {node: reads it has served}."""
        return reads_of(self._lab.served())

    def facts(self):
        """Return what the report says of it, as plain data."""
        return {'memcached': self._lab.memcached, 'slow': [
            node.number for node in targets.slow(self.nodes())]}

    def stop(self):
        """End the lab; nothing is left."""
        if self._lab is not None:
            self._lab.down()
            self._lab = None


class ClusterSubject:
    """Somebody's cluster: nothing is switched, and what we wrote is removed."""

    processes = None  # drivers: one a core
    counts = None     # which node served a read, only the nodes know
    well = True

    def __init__(self, plan, key, project=None):
        """Take the Plan, and the user's key, which is no part of a plan that is written down."""
        place = plan.place
        if place.auth and not (place.user and key):
            raise EvaluationError('--auth needs --user and --key')
        self._plan = plan
        self.access = (workloads.login(place.auth, place.user, key, project, place.endpoints)
                       if place.auth else workloads.open_to_all(place.endpoints))

    def start(self):
        """Write the objects that are to be read."""
        for size in self._plan.sizes:
            do(workloads.prepare(self.access, size, self._plan.objects), self.access.endpoints)

    def ready(self, step):
        """Do nothing: the policy is whatever the cluster has."""

    def facts(self):
        """Return what the report says of it: nothing is known."""
        return {}

    def stop(self):
        """Remove what was written; what cannot be removed is the user's to know."""
        for size in self._plan.sizes:
            try:
                do(workloads.clean(self.access, size), self.access.endpoints)
            except SwiftLBError as err:
                raise EvaluationError(
                    f'container {workloads.container_name(size)} is left behind: {err}') from None
