package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/signing"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// examineFork says whether branches can be pushed to the fork of push_to: whether it is one of this
// repository, unless the host cannot be asked, and whether the credential may push there. Nothing is pushed.
func examineFork(
	ctx context.Context, mirrors *git.Mirrors, r repository.Repository, askHost bool, f *List,
) {
	if askHost {
		if err := r.CheckFork(ctx); err != nil {
			remoteRefusal(f, "push_to", err)
			return
		}
	}
	sight, err := mirrors.LookAt(ctx, *r.PushTo)
	if err != nil {
		remoteRefusal(f, "push_to: the fork cannot be read", err)
		return
	}
	if err := mirrors.MayPush(ctx, r.Remote); err != nil {
		remoteRefusal(f, "push_to: the fork refuses pushes from us", err)
		return
	}
	if sight.Empty {
		f.problem("push_to: the fork is empty", "fork the repository at the host, or push its base there")
		return
	}
	f.ok("push_to: %s would accept a push (asked, not tried); nothing is pushed to the repository itself",
		remote.Redact(r.PushTo.URL))
}

// examineDemands says what the host demands of commits and branches and what the settings do not meet.
func examineDemands(ctx context.Context, r repository.Repository, base string, f *List) {
	found, err := r.FindDemands(ctx, base)
	if err != nil {
		remoteRefusal(f, "the rules of the host cannot be read", err)
		return
	}
	for _, d := range found.Unmet {
		f.problem(d.Refused, d.Cure)
	}
	for _, note := range found.Notes {
		f.note(note, "")
	}
	switch {
	case found.Unread != "":
		f.note("not all rules for commits and branches can be read: the credential lacks "+found.Unread,
			"a rule that refuses a push shows at the push; docs/configuration/commits.md")
	case len(found.Unmet) == 0:
		f.ok("what is pushed meets the rules of the host, as far as they can be read")
	}
}

// examineCommits says how commits are made, names the public key that they are signed with, and says whether
// the host knows it, unless that cannot be asked.
func (d *Doctor) examineCommits(ctx context.Context, r repository.Repository, askHost bool, f *List) {
	name, email := r.Commits.Committer()
	who := name + " <" + email + ">"
	signedOff := ""
	if r.Commits.SignOff {
		signedOff = " and signed off"
	}
	key, _ := r.Commits.Signer.(*signing.Key)
	switch {
	case r.Commits.Host != nil:
		f.ok("commits are made and signed by the host%s", signedOff)
		if r.Pulls.Web != "" && !d.hasApp(r.Name) {
			f.warn("commits.sign is host, and GitHub signs only the commits of a GitHub App",
				"set github_app for the repository, or sign with a key: commits.sign_key_file")
		}
	case key != nil:
		f.ok("commits of %s are signed%s; the public key is %s", who, signedOff, key.Public())
		if askHost {
			examineKey(ctx, r, key, f)
		}
		d.examineKeyFile(ctx, r.Name, f)
	case r.Commits != (remote.Commits{}):
		f.ok("commits of %s are not signed%s", who, strings.Replace(signedOff, " and", ", but", 1))
	}
	if (key != nil || r.Commits.SignOff) && r.Commits.Email == "" && r.Commits.Host == nil {
		f.warn("commits are of bobbin@localhost, which no host takes for the address of an account",
			"set commits.name and commits.email of the repository to those of the bot's account")
	}
}

// examineKey says whether the host knows the key that commits are signed with.
func examineKey(ctx context.Context, r repository.Repository, key *signing.Key, f *List) {
	if r.Pulls.Host == nil {
		return
	}
	known, err := r.Pulls.Host.KnowsKey(ctx, key.Public())
	var refused *remote.Error
	switch {
	case errors.As(err, &refused) && !refused.Retry:
		f.note("whether the host knows that key is not known: the credential may not read the keys of its "+
			"account", "look there, under its SSH keys for signatures")
	case err != nil:
		remoteRefusal(f, "the host does not say whether it knows that key", err)
	case !known:
		f.warn("the bot's account at the host does not have that key: its signatures show as unverified",
			"add the public key there, for signatures")
	default:
		f.ok("the bot's account at the host has that key")
	}
}

// examineKeyFile reports a key that commands in the sandbox could read.
func (d *Doctor) examineKeyFile(ctx context.Context, name string, f *List) {
	at := slices.IndexFunc(d.config.Repositories, func(r config.Repository) bool { return r.Name == name })
	box := d.openedSandbox(ctx)
	if at < 0 || box == nil {
		return
	}
	file := d.config.Repositories[at].Commits.SignKeyFile
	dir, err := os.MkdirTemp("", "bobbin-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	if err := errors.Join(os.Chmod(dir, 0o755), box.Own(dir)); err != nil {
		return
	}
	if box.Command(dir, "sh", "-c", `test -r "$1"`, "sh", file).Run(ctx) == nil {
		f.problem(fmt.Sprintf("commands of repositories can read the signing key %s", file),
			"move it to a folder of the bot's own, or use a sandbox: kind none confines nothing")
	}
}

// hasApp reports whether the repository has a GitHub App.
func (d *Doctor) hasApp(name string) bool {
	return slices.ContainsFunc(d.config.Repositories, func(r config.Repository) bool {
		return r.Name == name && d.config.UsesApp(r)
	})
}
