"""The agent's page as a file: its content policy, and its size."""
import base64
import hashlib
import re

from swift_lb.service.http import PAGE

MAX_BYTES = 80 * 1024


def test_the_content_policy_allows_only_the_pages_own_code():
    text = PAGE.read_text()
    for kind in ('style', 'script'):
        inside = re.search(f'<{kind}>(.*?)</{kind}>', text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in text, f'the {kind} has changed: sha256-{digest}'
    assert [] == re.findall(r'\b(?:href|src)="(?!data:)|\son\w+="|\sstyle="|innerHTML', text)


def test_the_agents_page_is_one_small_file():
    assert len(PAGE.read_bytes()) < MAX_BYTES
