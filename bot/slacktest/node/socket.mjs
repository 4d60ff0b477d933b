// The bare Socket Mode client, which leaves acknowledging to us: the first delivery of an
// event is not acknowledged, its redelivery is.
import { LogLevel, SocketModeClient } from '@slack/socket-mode';
import { appToken, slackApiUrl, tell } from './talk.mjs';

const client = new SocketModeClient({
  appToken,
  logLevel: LogLevel.ERROR,
  clientOptions: { slackApiUrl },
  clientPingTimeout: 8000, // it pings three times as often, and reconnects this long after a disconnect
  serverPingTimeout: 10000, // without a ping of the server for so long, it leaves
});

client.on('slack_event', async ({ ack, body, envelope_id, retry_num, retry_reason }) => {
  const redelivered = retry_num > 0;
  if (redelivered) await ack();
  tell('event', { event_id: body.event_id, envelope_id, retry_num, retry_reason, acked: redelivered });
});
client.on('close', () => tell('closed'));
client.on('connected', () => tell('connected'));

await client.start();
