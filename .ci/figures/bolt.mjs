// An app as people write them with Bolt: it hears messages, and stores nothing.
import bolt from '@slack/bolt';

const app = new bolt.App({
  token: process.env.SLACK_BOT_TOKEN,
  appToken: process.env.SLACK_APP_TOKEN,
  socketMode: true,
  logLevel: 'error',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL },
});

let heard = 0;
app.message(async () => {
  heard++;
});
app.event('app_mention', async () => {
  heard++;
});

await app.start();
