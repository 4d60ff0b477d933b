package server

import (
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// commitsOf returns how commits of a repository at that host are made. hide learns the key that they are
// signed with.
func commitsOf(r config.Repository, at host.Host, hide *redact.Finder) (remote.Commits, error) {
	how := remote.Commits{Name: r.Commits.Name, Email: r.Commits.Email, SignOff: r.Commits.SignOff}
	if r.Commits.Sign == config.SignedByHost {
		how.Host, _ = at.(remote.CommitHost)
		return how, nil
	}
	key, err := r.Commits.SigningKey(hide)
	if err != nil {
		return how, cli.UsageError{Err: err}
	}
	if key != nil {
		how.Signer = key
	}
	return how, nil
}

// forkOf returns the fork to which the branches of a repository are pushed, or nil.
func forkOf(r config.Repository, own remote.Credentials, values map[string]string) *remote.Remote {
	if r.PushTo.URL == "" {
		return nil
	}
	if name := r.PushTo.TokenEnv; name != "" {
		own = remote.Token{Value: remote.Secret(values[name]), Name: "the token " + name}
	}
	return &remote.Remote{
		Name:        "the fork " + remote.Redact(r.PushTo.URL),
		URL:         r.PushTo.URL,
		Credentials: own,
	}
}
