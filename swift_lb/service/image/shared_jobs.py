"""Jobs with the same key, which come at the same time, run once, and all get the result.

An owner gets all requests for a popular part of an image, also those that come while it is being
computed for the first time: these wait for that result, and take no worker.
"""
import asyncio

from swift_lb.service.image.ending import end_tasks


class SharedJobs:
    """Jobs, of which those with the same key run once."""

    def __init__(self, jobs):
        """Take the Jobs that run them."""
        self._jobs, self._joined = jobs, 0
        self._running = {}      # key -> (task, [is_wanted of each request that waits for it])

    async def run(self, job, question, cut, is_wanted):
        """Return what Jobs.run() does; for a job whose key is being computed, the same result."""
        if job.key is None:
            return await self._jobs.run(job, question, cut, is_wanted)
        if job.key not in self._running:
            self._begin(job, question, cut)
        else:
            self._joined += 1
        task, wanted = self._running[job.key]
        wanted.append(is_wanted)
        return await asyncio.shield(task)       # other requests may wait for it, too

    def _begin(self, job, question, cut):
        wanted = []
        task = asyncio.ensure_future(self._ran(job, question, cut, wanted))
        self._running[job.key] = task, wanted
        # Each request that waits gets its exception. If none waits any more, asyncio would log it.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _ran(self, job, question, cut, wanted):
        try:
            return await self._jobs.run(
                job, question, cut, lambda: any(is_wanted() for is_wanted in wanted))
        finally:
            # At once: a request that comes later must not wait for a job that was given up.
            del self._running[job.key]

    async def end(self):
        """Cancel the jobs, also those for which no request waits."""
        await end_tasks([task for task, _wanted in self._running.values()])

    def document(self):
        """Return that of the Jobs, with `joined`: jobs that waited for another one's result."""
        return self._jobs.document() | {'joined': self._joined}
