// Package pullrequests follows a branch after its push: it opens the pull request at the repository's
// host, and posts in the thread what becomes of it.
//
// A Follower works the pull_request jobs of package queue, one for each session, by polling the host; a
// webhook only makes the next poll come at once. The intent is a row of package pullrequest before the
// host is asked. If an earlier try may have reached the host, the Follower looks for a pull request there
// before it opens one. What a host returns is data of others: it permits nothing.
package pullrequests
