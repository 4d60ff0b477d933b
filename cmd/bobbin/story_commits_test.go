package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/signing"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

// commitOptions are the stage options about commits and where they are pushed: "signed" (they are signed with
// a key and signed off), "host-commits" (the host makes, signs and signs them off), "fork" (branches are
// pushed to the fork bot/shop).
var commitOptions = []string{"signed", "host-commits", "fork"}

// makeKey makes a key for signatures in the folder, with its public half beside it.
func makeKey(dir string) (*signing.Key, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(block)
	key, err := signing.ParseKey(text)
	if err != nil {
		return nil, err
	}
	name := keyFile(dir)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return nil, err
	}
	return key, os.WriteFile(name+".pub", []byte(key.Public()+"\n"), 0o600)
}

func keyFile(dir string) string { return filepath.Join(dir, "signing-key") }

func forkDir(dir string) string { return filepath.Join(dir, "fork.git") }

// hostSettings sets what the options say of commits and of the fork at the host.
func hostSettings(options []string, dir string, cfg *hosttest.Config) error {
	if slices.Contains(options, "host-commits") {
		if _, err := makeKey(dir); err != nil {
			return err
		}
		cfg.Git = filepath.Join(dir, "remote.git")
		cfg.SigningKey = keyFile(dir)
	}
	if slices.Contains(options, "fork") {
		cfg.Fork = &hosttest.Fork{Path: "bot/shop", Branch: func(name string) (string, error) {
			return stage.RemoteBranch(forkDir(dir), name)
		}}
	}
	return nil
}

// setCommits sets how commits are made and where they are pushed.
func (s *story) setCommits(options []string, cfg *stage.Config) error {
	var how remote.Commits
	if slices.Contains(options, "signed") {
		key, err := makeKey(cfg.Dir)
		if err != nil {
			return err
		}
		how = remote.Commits{Name: "Shop Bot", Email: "bot@shop.example", SignOff: true, Signer: key}
	}
	before := cfg.Adjust
	cfg.Adjust = func(set *server.Settings) {
		before(set)
		shop := &set.Repositories[0]
		shop.Commits = how
		if s.signer != nil {
			shop.Commits = remote.Commits{Signer: s.signer, SignOff: true}
		}
		if slices.Contains(options, "host-commits") {
			shop.Commits.SignOff = true
			shop.Commits.Host, _ = shop.Pulls.Host.(remote.CommitHost)
		}
		if slices.Contains(options, "fork") {
			shop.PushTo = &remote.Remote{
				Name: "the fork bot/shop", URL: forkDir(cfg.Dir), Only: regexp.MustCompile("^bobbin/"),
			}
		}
	}
	return nil
}

// makeFork forks the remote of the stage, as it is now.
func (s *story) makeFork(options []string) error {
	if !slices.Contains(options, "fork") {
		return nil
	}
	out, err := exec.Command("git", "-c", "safe.directory=*", "clone", "-q", "--bare", s.Remote,
		forkDir(s.Dir)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("fork: %w: %s", err, out)
	}
	return nil
}

// pushedTo returns the folder of the repository to which branches are pushed.
func (s *story) pushedTo() string {
	if to := s.Settings().Repositories[0].PushTo; to != nil {
		return to.URL
	}
	return s.Remote
}

// changeDemands implements "host rules RULE…" (signed, signoff, linear, name=PATTERN: what the host demands
// of all branches, or with on=PREFIX of those whose names begin so), "host sign" (with the next start, the
// operator has commits signed with a new key, and signed off), "host knows-key" (the bot's account has the
// public key) and "host fork STATE" (ours, other: it was forked from another repository, closed: the bot may
// not push there).
func (s *story) changeDemands(args []string) error {
	switch args[0] {
	case "rules":
		var r hosttest.Rules
		for _, rule := range args[1:] {
			pattern, named := strings.CutPrefix(rule, "name=")
			prefix, some := strings.CutPrefix(rule, "on=")
			switch {
			case some:
				r.Prefix = prefix
			case named:
				r.Name = pattern
			case rule == "signed":
				r.Signed = true
			case rule == "signoff":
				r.SignOff = true
			case rule == "linear":
				r.Linear = true
			default:
				return fmt.Errorf("there is no rule %q", rule)
			}
		}
		s.host.SetRules(r)
	case "sign":
		var err error
		s.signer, err = makeKey(s.Dir)
		return err
	case "knows-key":
		text, err := os.ReadFile(keyFile(s.Dir) + ".pub")
		s.host.SetKeys(strings.TrimSpace(string(text)))
		return err
	case "fork":
		s.host.SetFork(func(f *hosttest.Fork) {
			f.Of = map[string]string{"other": "mallory/shop"}[args[1]]
			f.ReadOnly = args[1] == "closed"
		})
	}
	return nil
}

// signatures implements "signatures FILE": what git says of the signature of each commit of the session's
// branch, the newest first, and its sign-off.
func signatures(ctx context.Context, s *story) (string, error) {
	x, err := s.session(ctx)
	if err != nil {
		return "", err
	}
	public, err := os.ReadFile(keyFile(s.Dir) + ".pub")
	if err != nil {
		return "", err
	}
	signers := filepath.Join(s.Dir, "signers")
	if err := os.WriteFile(signers, append([]byte("* "), public...), 0o600); err != nil {
		return "", err
	}
	git := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{
			"-C", s.pushedTo(), "-c", "safe.directory=*", "-c", "gpg.ssh.allowedSignersFile=" + signers,
		}, args...)...)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			err = errors.Join(err, errors.New(errs.String()))
		}
		return string(out), err
	}
	list, err := git("rev-list", x.BaseCommit+".."+x.Head)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, commit := range strings.Fields(list) {
		if _, err := git("verify-commit", commit); err != nil {
			return "", err
		}
		said, err := git("log", "-1", "--format=%s: %G?, signer %GS, %(trailers:key=Signed-off-by)", commit)
		if err != nil {
			return "", err
		}
		b.WriteString(strings.TrimSpace(said) + "\n")
	}
	return b.String(), nil
}

// forkBranches implements "fork-branches FILE": the branches of the fork with their commits, sorted.
func forkBranches(_ context.Context, s *story) (string, error) { return branchesOf(s.pushedTo()) }
