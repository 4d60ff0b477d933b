package remote

// Remote is a repository elsewhere.
type Remote struct {
	Name        string
	URL         string      // https, ssh, file:// or a local path
	Credentials Credentials // for https; nil: none
	// Key is a private key file for ssh. Default: the agent, then the usual
	// files of ~/.ssh.
	Key string
	// KnownHosts is the file of host keys for ssh. Default: ~/.ssh/known_hosts.
	KnownHosts string
}
