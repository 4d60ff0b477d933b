// Package composed holds the test of docker-compose.yml: the real files are built and started by a
// Docker engine, and a session goes from its report to the push in them, over a restart of the bot and
// reloads of its configuration.
// Slack, the model and the remote stand on this machine, outside the containers.
//
// deploy/try runs it, and brings what it needs.
package composed
