"""An XML parser for workload files: it keeps line numbers, and refuses entities."""
import codecs
import re
from dataclasses import dataclass, field
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from swift_lb.errors import ConfigError
from swift_lb.wire.cosbench.findings import shown
from swift_lb.wire.cosbench.kinds import BLANKS

MAX_FILE = 1 << 20    # bytes; a usual workload has a few thousand
DEEPEST = 16       # levels of nested elements; a workload has five
MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
DECLARED = re.compile(rb'<\?xml[^>]*?\sencoding\s*=\s*["\']([\w.-]+)["\']')
AS_JAVA_READS = 'utf-8', 'us-ascii', 'ascii'


@dataclass
class Element:
    """An XML element: its name, line number, attributes as written, and child elements."""

    name: str
    line: int
    attributes: dict
    children: list = field(default_factory=list)
    text_line: int | None = None   # the line of the first text in it


class Parser(DefusedExpatParser):
    """An XML parser that refuses a <!DOCTYPE>, except one that only names the root element."""

    def __init__(self, findings):
        """Begin a document; a <!DOCTYPE> that is accepted adds a warning to `findings`."""
        self._findings = findings
        super().__init__(forbid_dtd=True)

    def defused_start_doctype_decl(self, name, sysid, pubid, has_internal_subset):
        """Refuse a <!DOCTYPE> that could declare entities or load a file; warn of any other."""
        if sysid or pubid or has_internal_subset:
            super().defused_start_doctype_decl(name, sysid, pubid, has_internal_subset)
        self._findings.warn(self.getLineNumber(), f'<!DOCTYPE {shown(name)}> is ignored: COSBench '
                                                  'does not validate a workload')


def parsed(data, findings):
    """Return the root Element of the XML in `data`, bytes; add warnings to `findings`.

    Raises ConfigError with one sentence for a file that is too large, not well-formed, or
    dangerous: document types with declarations, and therefore entities of all kinds, are refused.
    """
    check_bytes(data, findings)
    parser = Parser(findings)
    builder = Builder(parser)
    parser.setContentHandler(builder)
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException as err:
        raise ConfigError([f'line {parser.getLineNumber()}: a document type (<!DOCTYPE) is not '
                           'allowed; remove it, and write out any entity it defines']) from err
    except SAXParseException as err:
        raise ConfigError([f'line {err.getLineNumber()}: the XML is not well-formed at column '
                           f'{err.getColumnNumber() + 1}: {err.getMessage()}']) from err
    except ConfigError:
        raise
    except (SAXException, ValueError, LookupError) as err:
        reason = ' '.join(str(err).split())
        raise ConfigError([f'line 1: the XML can not be read: {reason}']) from err
    return builder.root


def check_bytes(data, findings):
    """Raise ConfigError if a file's `data` is too large, empty, UTF-16 or -32, or has a BOM.

    A declared encoding that COSBench would ignore is a warning in `findings`.
    """
    if len(data) > MAX_FILE:
        raise ConfigError([f'line 1: the file has more than {MAX_FILE} bytes; a workload has a few '
                           'thousand'])
    if not data.strip():
        raise ConfigError(['line 1: the file is empty; a workload begins with <workload name="...">'
                           ])
    if data.startswith(MARKS):
        raise ConfigError(['line 1: the file begins with a byte order mark, which COSBench '
                           'refuses; save it as UTF-8 without one'])
    if b'\0' in data[:4]:
        raise ConfigError(['line 1: the file is UTF-16 or UTF-32, which COSBench refuses; save it '
                           'as UTF-8'])
    declared = DECLARED.match(data)
    if declared and declared[1].decode().lower() not in AS_JAVA_READS and not data.isascii():
        findings.warn(1, f'encoding="{declared[1].decode()}" is ignored by COSBench, which reads '
                         'the file in the encoding of its JVM; save it as UTF-8')


class Builder(ContentHandler):
    """Builds the tree of Elements from the XML parser's calls, with the parser's line numbers."""

    def __init__(self, locator):
        super().__init__()
        self.root = None
        self._locator, self._open = locator, []

    def startElement(self, name, attrs):
        """Add a child to the open Element; raises ConfigError if it is nested too deep."""
        line = self._locator.getLineNumber()
        if len(self._open) >= DEEPEST:
            raise ConfigError([f'line {line}: more than {DEEPEST} elements are nested in each '
                               'other; a workload has five'])
        element = Element(name, line, dict(attrs))
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def endElement(self, name):
        """Close the open element, so that its parent is the open one again."""
        self._open.pop()

    def characters(self, content):
        """Keep the line number of the first text in the open element, for the fault about it."""
        if content.strip(BLANKS) and self._open[-1].text_line is None:
            self._open[-1].text_line = self._locator.getLineNumber()
