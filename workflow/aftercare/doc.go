// Package aftercare follows a branch after its push: it opens the pull request at the
// repository's host, and says in the thread what becomes of it.
//
// A Keeper works the pull_request jobs of package queue, one a session, by looking now and then;
// a webhook only makes the next look come at once. The intent is a row of package pullrequest
// before the host is asked, and where an earlier try may have got through, the host is asked for
// what it has before anything is opened. What a host tells is data of others: it permits nothing.
package aftercare
