// An app as people write them with Bolt: a mention is answered in its thread with a button,
// a click on it rewrites the message, and a modal is opened and taken.
import bolt from '@slack/bolt';
import { appToken, slackApiUrl, tell, token } from './talk.mjs';

const app = new bolt.App({ token, appToken, socketMode: true, logLevel: 'error', clientOptions: { slackApiUrl } });

app.event('app_mention', async ({ event, body, say }) => {
  const posted = await say({
    thread_ts: event.thread_ts ?? event.ts,
    text: `<@${event.user}> I heard you`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: 'I *heard* you' } },
      {
        type: 'actions',
        elements: [
          { type: 'button', action_id: 'fix', value: 'opaque', text: { type: 'plain_text', text: 'Fix it' } },
          { type: 'button', action_id: 'correct', text: { type: 'plain_text', text: 'Correct…' } },
        ],
      },
    ],
    metadata: { event_type: 'answer', event_payload: { key: event.ts } },
  });
  tell('mention', { event_id: body.event_id, text: event.text, answered: posted.ts });
});

app.message(/./, async ({ message, body }) => {
  tell('message', { event_id: body.event_id, text: message.text, subtype: message.subtype ?? '' });
});

app.action('fix', async ({ ack, action, body, respond }) => {
  await ack();
  await respond({ replace_original: true, text: `approved by <@${body.user.id}>` });
  tell('action', { value: action.value, user: body.user.id, message: body.message.ts });
});

app.action('correct', async ({ ack, body, client }) => {
  await ack();
  const { view } = await client.views.open({
    trigger_id: body.trigger_id,
    view: {
      type: 'modal',
      callback_id: 'correction',
      title: { type: 'plain_text', text: 'Correct' },
      submit: { type: 'plain_text', text: 'Send' },
      blocks: [
        {
          type: 'input',
          block_id: 'what',
          label: { type: 'plain_text', text: 'What is wrong?' },
          element: { type: 'plain_text_input', action_id: 'text' },
        },
      ],
    },
  });
  tell('modal', { id: view.id });
});

app.view('correction', async ({ ack, view }) => {
  await ack();
  tell('submission', { text: view.state.values.what.text.value });
});

app.command('/diagnose', async ({ ack, command }) => {
  await ack({ response_type: 'in_channel', text: `diagnosing ${command.text}` });
  tell('command', { text: command.text });
});

await app.start();
tell('ready');
