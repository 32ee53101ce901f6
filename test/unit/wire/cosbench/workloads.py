"""Builders of small workload files around the part under test."""
from swift_lb.errors import ConfigError
from swift_lb.wire.cosbench.read import read

READ = '<operation type="read" config="containers=c(1);objects=c(1)"/>'


def with_stages(stages, attributes='', inside=''):
    """Return a workload file, in bytes, of the XML `stages`; the rest is put into <workload>."""
    return (f'<workload name="w" {attributes}>{inside}<workflow>\n{stages}\n</workflow></workload>'
            ).encode()


def with_work(work):
    """Return a workload file with the XML of one <work>, which begins in line 2."""
    return with_stages(f'<workstage name="s">{work}</workstage>')


def with_operation(operation, attributes='workers="4"'):
    """Return a workload file of one <operation>, in line 2; `attributes` are its work's in XML."""
    return with_work(f'<work name="n" runtime="1" {attributes}>{operation}</work>')


def with_access(access):
    """Return a workload file with the XML of an <auth> or <storage>, in line 2."""
    return with_stages('<workstage name="s"><work name="n" runtime="1" workers="1">'
                       f'{READ}</work></workstage>', inside=f'\n{access}')


def first_work(data):
    """Return the first Work of a workload file."""
    return read(data).workload.stages[0].works[0]


def faults_of(data):
    """Return [sentence] of the faults of the workload file `data`, [] if it can be read."""
    try:
        read(data)
    except ConfigError as err:
        return list(err.faults)
    return []


def warnings_of(data):
    """Return the list of warnings about the workload file `data`, without line numbers."""
    return [warning.partition(': ')[2] for warning in read(data).warnings]
