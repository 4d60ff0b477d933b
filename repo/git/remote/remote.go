package remote

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
}
