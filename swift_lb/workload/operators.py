"""Operations as functions: each call prepares a request and returns an awaitable that sends it.

Names are chosen and contents made before the clock starts; the awaitable is timed, and its result
is (bytes of the object, seconds of the transfer). A Worker is used only for its `index`, `all`,
`rng` and `storage`.
"""
from functools import cache
from pathlib import Path
from urllib.parse import quote

from swift_lb.errors import ConfigError
from swift_lb.wire.cosbench.model import Selector
from swift_lb.workload import content
from swift_lb.workload.pick import members, picker, shared_counter
from swift_lb.workload.storage import DELETED


def counters_of(driver, drivers):
    """Return a function that takes an operation's id and a selector's name, and returns a counter.

    A counter, shared_counter(), returns the next position in the selector at each call. All workers
    of driver number `driver`, from 0, of `drivers` share the counter of such a pair.
    """
    return cache(lambda _operation, _selector: shared_counter(driver, drivers))


def operator(operation, worker, counters):
    """Return the function that at each call prepares a request of a normal work's `operation`.

    A call returns an awaitable that sends the request. `counters` is made by counters_of().
    """
    return OPERATORS[operation.type](operation, worker, counters)


def _path(operation, worker, counters):
    """Return a function whose every call returns the quoted path of the next object to use."""
    container = _container(operation, worker, counters)
    target = operation.target
    number = _picker(operation, 'objects', worker, counters)
    before, after = f'/{quote(target.oprefix, safe="")}', quote(target.osuffix, safe='')
    return lambda: f'{container()}{before}{number()}{after}'


def _container(operation, worker, counters):
    target = operation.target
    number = _picker(operation, 'containers', worker, counters)
    before, after = f'/{quote(target.cprefix, safe="")}', quote(target.csuffix, safe='')
    return lambda: f'{before}{number()}{after}'


def _picker(operation, field, worker, counters):
    divided = operation.division == field.removesuffix('s')
    return picker(getattr(operation.target, field), worker.rng,
                  (worker.index, worker.all) if divided else None, counters(operation.id, field))


def _read(operation, worker, counters):
    path = _path(operation, worker, counters)
    if operation.target.hash_check:
        return lambda: _verified(worker.storage, path())
    return lambda: worker.storage.read(path())


async def _verified(storage, path):
    verifier = content.Verifier()
    size = await storage.read(path, verifier.take)
    verifier.verify()
    return size


def _write(operation, worker, counters):
    path, size = _path(operation, worker, counters), _picker(operation, 'sizes', worker, counters)
    target, rng = operation.target, worker.rng

    def next_write():
        length = size()
        body = content.body(length, rng, target.content, target.hash_check)
        return worker.storage.write(path(), length, body, target.chunked)
    return next_write


def _delete(operation, worker, counters):
    path = _path(operation, worker, counters)
    return lambda: worker.storage.delete(path())


def _list(operation, worker, counters):
    """Return the function that prepares a list: HEAD an object, or GET a listing.

    An operation with objects sends a HEAD; without objects it lists a container or, without
    containers, the account.
    """
    target = operation.target
    if target.containers and target.objects:
        path = _path(operation, worker, counters)
        return lambda: worker.storage.head(path())
    if target.containers:
        container = _container(operation, worker, counters)
        return lambda: worker.storage.list(container())
    return lambda: worker.storage.list('')


def _filewrite(operation, worker, counters):
    """Return the function that prepares a filewrite; its objects are files of a local directory."""
    target = operation.target
    files = files_of(target.files)
    container = _container(operation, worker, counters)
    number = picker(Selector(target.fileselection, 1, len(files)), worker.rng,
                    counter=counters(operation.id, 'files'))

    def next_write():
        file = files[number() - 1]
        size, body = content.of_file(file, target.hash_check)
        return worker.storage.write(f'{container()}/{quote(file.name, safe="")}', size, body)
    return next_write


def files_of(directory):
    """Return the sorted Paths of a directory's files, a list; raises ConfigError if it has none."""
    try:
        if files := sorted(path for path in Path(directory).iterdir() if path.is_file()):
            return files
        reason = 'there is no file in it to write'
    except OSError as err:
        reason = err.strerror
    raise ConfigError([f'files={directory}: {reason}'])


def folder_fault(directory):
    """Return why a directory has no files that a filewrite could send; None if it has some."""
    try:
        files_of(directory)
    except ConfigError as err:
        return err.faults[0].removeprefix(f'files={directory}: ')
    return None


OPERATORS = {'read': _read, 'write': _write, 'delete': _delete, 'list': _list,
             'filewrite': _filewrite}


def special(operation, worker, counters):
    """Yield a worker's requests of an init, prepare, cleanup or dispose.

    Each is (whether its success counts, function that prepares it, as operator() returns). A worker
    has its own part of the containers (init, dispose) or of the objects (prepare, cleanup). A
    prepare creates containers, and a cleanup deletes them, only for the sake of their objects: such
    requests count only if they fail.
    """
    return SPECIALS[operation.type](operation, worker, counters)


def _containers(operation, share):
    target = operation.target
    for number in members(target.containers, share):
        yield f'/{quote(f"{target.cprefix}{number}{target.csuffix}", safe="")}'


def _objects(operation, worker, container):
    target = operation.target
    for number in members(target.objects, (worker.index, worker.all)):
        yield f'{container}/{quote(f"{target.oprefix}{number}{target.osuffix}", safe="")}'


def _init(operation, worker, _counters):
    for container in _containers(operation, (worker.index, worker.all)):
        yield True, lambda path=container: worker.storage.create_container(path)


def _dispose(operation, worker, _counters):
    for container in _containers(operation, (worker.index, worker.all)):
        yield True, lambda path=container: worker.storage.delete_container(path)


def _prepare(operation, worker, counters):
    """Yield the requests of a prepare: each container's PUT, then this worker's objects in it."""
    target, size = operation.target, _picker(operation, 'sizes', worker, counters)
    for container in _containers(operation, None):
        if target.create_container:
            yield False, lambda path=container: worker.storage.create_container(path)
        for path in _objects(operation, worker, container):
            length = size()
            body = content.body(length, worker.rng, target.content, target.hash_check)
            yield True, lambda path=path, length=length, body=body: worker.storage.write(
                path, length, body, target.chunked)


def _cleanup(operation, worker, counters):
    for container in _containers(operation, None):
        for path in _objects(operation, worker, container):
            yield True, lambda path=path: worker.storage.delete(path, DELETED)
    if operation.target.delete_container:
        for _counted, make in _dispose(operation, worker, counters):
            yield False, make


SPECIALS = {'init': _init, 'prepare': _prepare, 'cleanup': _cleanup, 'dispose': _dispose}
