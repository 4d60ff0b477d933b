// Package environment finds what the commands of a repository need beside its files, and provides it: servers
// such as Postgres, and the variables that lead to them.
//
// Find reads the repository's own files at a commit: the services of GitHub's workflows and of GitLab's
// pipeline, or else those of a compose file; and its example of an .env file. It runs nothing of them, and
// takes only names, versions, ports and values: commands, images, folders of the host and rights of a
// container are ignored.
//
// A command that Environment.Wrap returns starts the services from the programs that are installed where it
// runs, in its own sandbox, on the loopback interface of that sandbox (services.sh). Their data begins empty
// and ends with the command. So every command, on the base and on a branch, finds the same. A service that is
// not installed or does not start is left out, and the command runs all the same.
//
// Look tells which of the services are installed, and Prepare stores empty data folders, which are quicker
// to copy than to make.
package environment
