// Package composetest holds the test of docker-compose.yml: a Docker engine builds and starts the real files,
// and a session runs in them from the report to the push, across a restart of the bot and reloads of its
// configuration. Slack, the model and the remote run on this machine, outside the containers.
//
// deploy/try runs the test and provides what it needs.
package composetest
