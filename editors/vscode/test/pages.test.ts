// Pages: their links, and what is no link of ours.
import assert from 'node:assert/strict';
import test from 'node:test';
import { topicsHtml } from '../src/topicText';
import { escapeHtml, linked, pageHtml, targetsOf } from '../src/pageText';

test('the links of the server are numbered, and nothing else is', () => {
  const text = [
    '- Why? ([visit.md:13](<file:///a/visit.md#L13>)) ([b](<file:///b%20c.md>))',
    'words of others: \\[x\\](<file:///etc/passwd>) [y](https://example.org) [z](<command:evil>)',
    '````json', '"[in](<file:///bytes>)"', '```', '"[still](<file:///in>)"', '````',
    '[after](<file:///after.md#L1>)',
  ].join('\n');
  const { markdown, targets } = targetsOf(text);
  assert.deepEqual(targets, ['file:///a/visit.md#L13', 'file:///b%20c.md', 'file:///after.md#L1']);
  assert.equal(markdown.split('\n')[0], '- Why? ([visit.md:13](#lacuna-0)) ([b](#lacuna-1))');
  assert.deepEqual(markdown.split('\n').slice(1, 7), text.split('\n').slice(1, 7));
});

test('a link gets the address of its number, in quotation marks', () => {
  assert.equal(linked('<a href="#lacuna-0">a</a> <a href="#lacuna-7">b</a>', ['command:x?"&']), '<a href="command:x?&#34;&#38;">a</a> <a href="#lacuna-7">b</a>');
});

test('a page runs and loads nothing', () => {
  assert.match(pageHtml('<p>text</p>'), /default-src 'none'; style-src 'unsafe-inline'"/);
  assert.equal(escapeHtml('<a href=\'x\' title="y">&'), '&#60;a href=&#39;x&#39; title=&#34;y&#34;&#62;&#38;');
});

test('the picture counts what is answered and what is missing, and escapes every word', () => {
  const asked = (question: string, coverage: 'answered' | 'missing') => ({ uri: 'file:///a%20b.md', line: 3, question, coverage });
  const html = topicsHtml({ version: 1, topics: [
    { subject: '<script>x</script>', questions: [asked('Why "<b>"?', 'missing'), asked('How?', 'answered'), asked('When?', 'answered')] },
    { subject: '', questions: [asked('Who?', 'missing')] },
  ] }, () => 'command:x?"');
  assert.match(html, /4 questions of your notes on 2 subjects/);
  assert.match(html, /aria-label="2 answered, 1 missing"/);
  assert.match(html, /&#60;script&#62;x/);
  assert.match(html, /<a href="command:x\?&#34;">Why &#34;&#60;b&#62;&#34;\?<\/a> <span class="small">a b\.md:3/);
  assert.match(html, />Other questions</);
  assert.doesNotMatch(html, /<script|<b>|javascript:|https?:/);
  assert.match(topicsHtml({ version: 1, topics: [] }, () => ''), /no questions yet/);
});
