"""The jobs of swift-lb-image: those that wait for a worker, and those that run."""
from collections import Counter
from itertools import count

from swift_lb.chains.registry import chains
from swift_lb.errors import ChainError
from swift_lb.service.image.crew import CPU, HUNG, WorkerEndedError
from swift_lb.service.image.rates import WorkRates
from swift_lb.service.image.worker import GROWN, MEMORY
from swift_lb.wire.image_job import COEFFICIENTS, UNAVAILABLE


class Jobs:
    """Gives jobs to the workers of a Crew, in the order in which they come."""

    def __init__(self, options, crew, clock):
        """Take ImageServiceOptions, a Crew, and a monotonic clock."""
        self._options, self._crew, self._clock = options, crew, clock
        self.rates = WorkRates()
        self._numbers, self._waiting, self._running = count(), {}, {}
        self.counts = Counter()     # done, failed, refused

    async def run(self, job, question, cut, is_wanted):
        """Return (answer, body) of an ImageJob, which `question` has as a dict.

        `is_wanted()` returns whether the client still waits. Raises ChainError with a sentence for
        the client. A worker that ends may have been killed, or damaged by an image before: only a
        job with which a second one ends, too, is refused.
        """
        if len(self._waiting) >= self._options.queue:
            self.counts['refused'] += 1
            raise ChainError(f'{self._options.queue} images wait to be decoded', UNAVAILABLE)
        number, since, expected = next(self._numbers), self._clock(), self.expected(job, cut)
        for is_last in (False, True):
            worker = await self._taken(number, expected, is_wanted)
            began = self._clock()
            self._running[number] = began, expected
            try:
                answer, body = await self._asked(worker, question, cut)
                return answer | {'waited': began - since}, body
            except WorkerEndedError as err:
                if is_last or err.why in (CPU, HUNG):
                    self.counts['failed'] += 1
                    raise self._failure(err.why) from None
            finally:
                del self._running[number]

    async def _taken(self, number, expected, is_wanted):
        """Return a worker for the job with a number, when it is its turn."""
        self._waiting[number] = expected
        try:
            worker = await self._crew.take()
        finally:
            del self._waiting[number]
        if not is_wanted():
            self._crew.give_back(worker)
            raise ChainError('the client has gone', UNAVAILABLE)
        return worker

    async def _asked(self, worker, question, cut):
        try:
            answer, body = await worker.ask(question, cut, self._options.seconds)
        except WorkerEndedError as err:
            self._crew.replace(worker, err.why, err.fault)
            raise
        if 'leaving' in answer:
            self._crew.replace(worker, MEMORY if answer.pop('leaving') == MEMORY else GROWN)
        else:
            self._crew.give_back(worker)
        self.counts['failed' if 'error' in answer else 'done'] += 1
        for kind, (seconds, pixels) in answer.pop('spent', {}).items():
            self.rates.note(kind, seconds, pixels)
        return answer, body

    def _failure(self, why):
        if why == CPU:
            return ChainError(f'the image takes more than {self._options.seconds} s to decode')
        if why == HUNG:     # it got too little of the processor: that is not the image's fault
            return ChainError('the decoder has not answered in time', UNAVAILABLE)
        return ChainError('the decoder failed on the image')

    def expected(self, job, cut):
        """Return the seconds that an ImageJob will take, 0 for one that will be refused."""
        kind = COEFFICIENTS if job.step == COEFFICIENTS else job.form
        chain = chains().get(job.chain)
        if chain is None:
            return 0.0
        try:
            decoded, result, components = chain.pixels(cut, job.task)
        except ChainError:
            return 0.0
        if decoded > self._options.pixels:
            return 0.0
        return components * (decoded * self.rates.of('decode') + result * self.rates.of(kind))

    def wait(self):
        """Return the seconds that a job which comes now will wait for a worker."""
        if self._crew.free > len(self._waiting):
            return 0.0
        now = self._clock()
        left = sum(max(0.0, began + expected - now) for began, expected in self._running.values())
        return (left + sum(self._waiting.values())) / self._crew.size

    def document(self):
        """Return a dict for pages and metrics."""
        return {'workers': self._crew.size, 'queued': len(self._waiting),
                'running': len(self._running), 'wait': self.wait(), **self.rates.document(),
                **{name: self.counts[name] for name in ('done', 'failed', 'refused')},
                'replaced': dict(self._crew.replaced)}
