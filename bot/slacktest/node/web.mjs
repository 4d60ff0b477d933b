// The Web API client: forms, pages, errors, and the wait that a 429 asks for.
import { WebClient } from '@slack/web-api';
import { slackApiUrl, tell, token } from './talk.mjs';

const web = new WebClient(token, { slackApiUrl, logLevel: 'error' });
const channel = process.env.SLACKTEST_CHANNEL;

const who = await web.auth.test();
tell('who', { user: who.user_id, bot: who.bot_id, scopes: who.response_metadata.scopes });

let waited = 0;
web.on('rate_limited', (seconds) => {
  waited = seconds;
});
const root = await web.chat.postMessage({ channel, text: 'root', unfurl_links: false });
for (let i = 0; i < 5; i++) {
  await web.chat.postMessage({
    channel,
    thread_ts: root.ts,
    text: `reply ${i}`,
    metadata: { event_type: 'numbered', event_payload: { number: i } },
  });
}
tell('posted', { ts: root.ts, waited });

const numbers = [];
let pages = 0;
for await (const page of web.paginate('conversations.replies', { channel, ts: root.ts, limit: 2, include_all_metadata: true })) {
  pages++;
  for (const message of page.messages) if (message.metadata) numbers.push(message.metadata.event_payload.number);
}
tell('read', { pages, numbers });

const codes = [];
const refused = async (promise) => {
  try {
    await promise;
    codes.push('allowed');
  } catch (err) {
    codes.push(err.data?.error ?? String(err));
  }
};
await refused(web.chat.postMessage({ channel: 'C404', text: 'x' }));
await refused(web.chat.postMessage({ channel, blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'x'.repeat(3001) } }], text: 'x' }));
await refused(web.chat.update({ channel, ts: root.ts, text: 'root, edited' }));
await refused(web.reactions.add({ channel, timestamp: root.ts, name: 'eyes' }));
await refused(web.reactions.add({ channel, timestamp: root.ts, name: 'eyes' }));
await refused(new WebClient('xoxb-wrong', { slackApiUrl, logLevel: 'error' }).auth.test());
tell('codes', { codes });
