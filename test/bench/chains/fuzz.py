"""Mutated images for a real swift-lb-image: each is answered, and nothing else is disturbed."""
import argparse
import pathlib
import tempfile

from support.image_fuzz import ImageFuzz
from support.lb_image import LbImageServer

from swift_lb.clock import monotonic


def memory_of(pid):
    """Return the most bytes of memory that a process has had."""
    status = pathlib.Path(f'/proc/{pid}/status').read_text()
    return int(dict(line.split(':', 1) for line in status.splitlines())['VmHWM'].split()[0]) << 10


def main(words):
    """Run the bench; return 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(prog='chains fuzz', description=__doc__)
    parser.add_argument('--images', type=int, default=100_000)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep', type=pathlib.Path, help='folder for images answered wrongly')
    args = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder, LbImageServer(
            pathlib.Path(folder), workers=2, seconds=1, memory='256MiB') as server:
        began, fuzz = monotonic(), ImageFuzz(server, args.seed)
        fuzz.run(args.images)
        seconds = monotonic() - began
        with server.connected() as client:
            document = client.status()
        pids = {'daemon': server.process.pid, **{
            f'worker {number}': pid for number, pid in enumerate(server.workers(), 1)}}
        memory = {name: memory_of(pid) for name, pid in pids.items()}
    report(args, fuzz, seconds, document, memory)
    if args.keep:
        args.keep.mkdir(exist_ok=True)
        for number, (name, *_rest, data) in enumerate(fuzz.faults):
            (args.keep / f'{number}-{name}').write_bytes(data)
    return 1 if fuzz.faults else 0


def report(args, fuzz, seconds, document, memory):
    """Print what happened."""
    print(f'{args.images} mutated images, seed {args.seed}, in {seconds:.0f} s')
    for sentence, count in fuzz.outcomes.most_common():
        print(f'{count:8}  {sentence}')
    print(f'{fuzz.good:8}  right answers about a good image meanwhile')
    print(f'workers replaced: {document["replaced"] or "none"}; workers: {document["workers"]}')
    print('most memory: ' + ', '.join(f'{name} {size / 2**20:.0f} MiB'
                                      for name, size in memory.items()))
    print(f'answers that were wrong: {len(fuzz.faults)}')
    for name, task, more, answer, _data in fuzz.faults[:10]:
        print(f'    {name}, {task}, {more}: {answer}')
