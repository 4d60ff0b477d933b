// Package trial tries a repository as the bot would use it, without Slack, a model or a database: what it
// finds in the files, whether the packages can be fetched, whether the base builds and its tests run, and so
// what could be proven. The result is a Trial.
//
// Look reads the files only. Runner.Run fetches packages and runs the build and the tests, too, with the same
// parts that a turn uses: repository.Repository says how, build.Checker runs the commands in the sandbox, and
// packages.Fetcher fetches. Nothing is kept outside the folders of its Checker.
package trial
