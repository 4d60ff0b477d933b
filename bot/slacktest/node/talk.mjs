// What the scripts share: where the workspace is, and how they talk with the test, which
// reads one JSON object a line from stdout and ends a script by closing its stdin.
export const slackApiUrl = process.env.SLACKTEST_URL;
export const token = process.env.SLACKTEST_BOT_TOKEN;
export const appToken = process.env.SLACKTEST_APP_TOKEN;

export function tell(what, more = {}) {
  process.stdout.write(JSON.stringify({ what, ...more }) + '\n');
}

process.stdin.on('end', () => process.exit(0));
process.stdin.resume();
process.on('unhandledRejection', (err) => {
  console.error(err);
  process.exit(1);
});
