"""XML bytes to elements that know their lines; nothing else is let through."""
from dataclasses import dataclass, field
from xml.sax import SAXException, SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml.common import DefusedXmlException
from defusedxml.sax import make_parser

from swift_lb.errors import ConfigError

LIMIT = 1 << 20    # bytes; a workload has a few thousand
DEEPEST = 16       # elements within each other; a workload has five


@dataclass
class Element:
    """An element, its attributes as they are written, and what is inside."""

    name: str
    line: int
    attributes: dict
    children: list = field(default_factory=list)
    text: bool = False    # whether there is text in it, which nobody reads


def parsed(data):
    """Return the root Element of the XML in `data`, bytes.

    Raises ConfigError with one sentence for what is too large, not well-formed, or dangerous:
    document types, and with them entities of all kinds, are refused.
    """
    if len(data) > LIMIT:
        raise ConfigError([f'line 1: the file has more than {LIMIT} bytes; a workload has a few '
                           'thousand'])
    if not data.strip():
        raise ConfigError(['line 1: the file is empty; a workload begins with <workload name="...">'
                           ])
    parser = make_parser()
    parser.forbid_dtd = True
    builder = Builder(parser)
    parser.setContentHandler(builder)
    try:
        parser.feed(data)
        parser.close()
    except DefusedXmlException as err:
        raise ConfigError([f'line {parser.getLineNumber()}: a document type (<!DOCTYPE) is not '
                           'allowed; remove it, and write out any entity it defines']) from err
    except ConfigError:
        raise
    except (SAXException, ValueError, LookupError) as err:
        raise ConfigError([not_well_formed(err)]) from err
    return builder.root


def not_well_formed(err):
    """Return the sentence for what the parser did not understand."""
    if isinstance(err, SAXParseException):
        return (f'line {err.getLineNumber()}: the XML is not well-formed at column '
                f'{err.getColumnNumber() + 1}: {err.getMessage()}')
    return f'line 1: the XML can not be read: {" ".join(str(err).split())}'


class Builder(ContentHandler):
    """Builds the tree of Elements from the parser's calls."""

    def __init__(self, locator):
        """Begin outside of all elements; `locator` knows the line."""
        super().__init__()
        self.root = None
        self._locator, self._open = locator, []

    def startElement(self, name, attrs):
        """Open an element."""
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
        """Close it."""
        self._open.pop()

    def characters(self, content):
        """Note that there is text."""
        if content.strip():
            self._open[-1].text = True
