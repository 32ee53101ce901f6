"""What an evaluation measures: a lab with one policy after another, or an existing cluster."""
from swift_lb.errors import EvaluationError, SwiftLBError
from swift_lb.evaluation import targets, workloads
from swift_lb.evaluation.measure import do
from swift_lb.evaluation.node_share import reads_of
from swift_lb.lab import conf
from swift_lb.lab.lab import Lab
from swift_lb.lab.spec import LabSpec

# Hundreds of simultaneous workers must not exhaust Swift's two connections to memcached: it would
# then do without memcached for a minute, could verify no token, and the evaluation would measure
# status 401. Only memcached has options of these names, so they may stand in [DEFAULT].
PATIENT = {'DEFAULT:memcache_max_connections': '100', 'DEFAULT:pool_timeout': '10',
           'DEFAULT:connect_timeout': '5', 'DEFAULT:io_timeout': '10'}


def access_of(lab):
    """Return the AccountAccess to the account of `lab`, with the storage URLs of all proxies."""
    urls = [f'{endpoint}{lab.storage_url().removeprefix(lab.endpoint)}'
            for endpoint in lab.endpoints]
    if not lab.memcached:
        return workloads.open_to_all(urls)
    return workloads.login(f'{lab.endpoint}/auth/v1.0', conf.USER, conf.KEY, endpoints=urls)


class LabSubject:
    """A lab that the evaluation starts; it holds objects, and a profile slows down its nodes."""

    processes = 1     # drivers: a lab needs the other cores, and few requests/s saturate it

    def __init__(self, plan, name, port):
        """Take the Plan, and the lab's name and first port."""
        self._plan, self._name, self._port, self._lab = plan, name, port, None

    def start(self):
        """Start the lab, write the objects while all nodes are fast, then apply the handicaps."""
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
        """Return whether all processes of the lab still run, so that it can be measured again."""
        return self._lab is not None and all(
            process.alive for process in self._lab.processes.values())

    @property
    def access(self):
        """The AccountAccess of the lab's account."""
        return access_of(self._lab)

    def ready(self, step):
        """Restart the proxies with the policy of `step`; they forget what they had measured."""
        app, options = (targets.alone(step.node, self.nodes()) if step.node else
                        targets.settings(step.policy, self.nodes()))
        self._lab.restart_proxies(
            options | PATIENT | {'DEFAULT:workers': str(step.proxy_workers)}, app)

    def nodes(self):
        """Return a list with the LabNode of every storage node."""
        return [targets.LabNode(number, self._lab.node_address(number)[0], capacity)
                for number, capacity in self._lab.nodes.capacity().items()]

    def counts(self):
        """Return {node: number of reads that it has served}."""
        return reads_of(self._lab.served())

    def facts(self):
        """Return a dict for the report: whether memcached runs, and the slow nodes' numbers."""
        return {'memcached': self._lab.memcached, 'slow': [
            node.number for node in targets.slow(self.nodes())]}

    def stop(self):
        """Stop the lab and remove its files."""
        if self._lab is not None:
            self._lab.down()
            self._lab = None


class ClusterSubject:
    """An existing cluster, whose policy is kept; objects written to it are removed at the end."""

    processes = None  # drivers: one for each core
    counts = None     # unknown: only the nodes know which of them served a read
    well = True

    def __init__(self, plan, key, project=None):
        """Take the Plan, the user's key, which is in no stored plan, and the Keystone project."""
        place = plan.place
        if place.auth and not (place.user and key):
            raise EvaluationError('--auth needs --user and --key')
        self._plan = plan
        self.access = (workloads.login(place.auth, place.user, key, project, place.endpoints)
                       if place.auth else workloads.open_to_all(place.endpoints))

    def start(self):
        """Write the objects that the runs will read."""
        for size in self._plan.sizes:
            do(workloads.prepare(self.access, size, self._plan.objects), self.access.endpoints)

    def ready(self, step):
        """Do nothing: the cluster keeps its policy."""

    def facts(self):
        """Return {}, because the evaluation has no facts about a cluster that it did not start."""
        return {}

    def stop(self):
        """Remove the written objects; raises EvaluationError naming a container that remains."""
        for size in self._plan.sizes:
            try:
                do(workloads.clean(self.access, size), self.access.endpoints)
            except SwiftLBError as err:
                raise EvaluationError(
                    f'container {workloads.container_name(size)} is left behind: {err}') from None
