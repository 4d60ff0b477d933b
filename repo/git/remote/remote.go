package remote

import "regexp"

// A Remote is a repository on another host or at a local path.
type Remote struct {
	Name        string
	URL         string      // https, ssh, file:// or a local path
	Credentials Credentials // for https; nil if none are needed
	// Key is a private key file for ssh. By default the ssh agent is asked, then the usual files in ~/.ssh
	// are read.
	Key string
	// KnownHosts is the file of host keys for ssh. Default: ~/.ssh/known_hosts.
	KnownHosts string
	// Commits says how commits for it are made.
	Commits Commits
	// PushTo is the fork to which branches are pushed. nil: they are pushed to the remote itself.
	PushTo *Remote
	// Only matches the names of the branches that are fetched; nil: all branches and tags are.
	Only *regexp.Regexp
}

// Pushed returns the remote to which branches are pushed: the fork if there is one.
func (r Remote) Pushed() Remote {
	if r.PushTo != nil {
		return *r.PushTo
	}
	return r
}
