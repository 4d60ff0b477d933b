package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/shopcache"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// usualStory makes the two changes that most stories make, one after the other.
//
//go:embed testdata/script/follow_up.txtar
var usualStory string

// shopCache is the build cache that the shops of all stories share.
var shopCache = shopcache.Cache{Changes: usualStory}

// slashCmd implements "slash WHO COMMAND [TEXT]": WHO runs a slash command in #bugs. The thread that the
// bot opens for it becomes the main thread.
func slashCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	known := len(s.Slack.Channel(s.Channel))
	if err := s.Slack.Command(s.Channel, s.People[args[0]], "/"+args[1],
		strings.Join(args[2:], " ")); err != nil {
		return err
	}
	return s.Poll(ctx, func() (bool, error) { return s.mainBegan(known), nil })
}

// mainBegan reports whether the bot has begun a thread in #bugs after that many messages, which is the main
// thread from then on.
func (s *story) mainBegan(known int) bool {
	for _, m := range s.Slack.Channel(s.Channel)[known:] {
		if m.BotID == s.Slack.App().BotID && m.ThreadTS == "" {
			s.threads[mainThread] = m.TS
			return true
		}
	}
	return false
}

// slashAloneCmd implements "slash-alone WHO COMMAND [TEXT]": WHO runs a slash command in #bugs that begins no
// thread.
func slashAloneCmd(ctx context.Context, s *story, _ *testscript.TestScript, args []string) error {
	known := len(s.Slack.Channel(s.Channel))
	if err := s.Slack.Command(s.Channel, s.People[args[0]], "/"+args[1],
		strings.Join(args[2:], " ")); err != nil {
		return err
	}
	if err := s.Slack.WaitSettled(ctx); err != nil {
		return err
	}
	if s.mainBegan(known) {
		return errors.New("it began a thread")
	}
	return nil
}

// dueCmd implements "due": the waiting time of every open question ends now.
func dueCmd(ctx context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	tag, err := s.Store.Pool.Exec(ctx,
		`update river_job set state = 'available', scheduled_at = now() where kind = 'due'
			and state = 'scheduled'`)
	if err == nil && tag.RowsAffected() == 0 {
		err = errors.New("no question waits")
	}
	return err
}

// attachedCmd implements "attached NAME FILE": waits for the newest file of that name in the main thread
// and writes its content to FILE. NAME leaves out the mark that tells files of the same name apart.
func attachedCmd(ctx context.Context, s *story, ts *testscript.TestScript, args []string) error {
	stem, extension, _ := strings.Cut(args[0], ".")
	var content string
	err := s.Poll(ctx, func() (found bool, err error) {
		for _, m := range s.Slack.Thread(s.Channel, s.threads[mainThread]) {
			for _, f := range m.Files {
				if strings.HasPrefix(f.Name, stem) && strings.HasSuffix(f.Name, "."+extension) {
					b, err := s.Slack.FileContent(f.ID)
					if err != nil {
						return false, err
					}
					content = b
					found = true
				}
			}
		}
		return found, nil
	})
	if err != nil {
		return fmt.Errorf("waited for a file %s in the thread: %w", args[0], err)
	}
	return os.WriteFile(ts.MkAbs(args[1]), []byte(content), 0o644)
}

// upstream matches the beginning of the names of a story's files that belong to the remote: "upstream/",
// "upstream2/".
var upstream = regexp.MustCompile(`^upstream\d*/`)

// advanceCmd implements "advance [as NAME] [at TIME] FILE…": another person commits these files of the story
// to main in the remote, at their paths below upstream/.
func advanceCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	var files []txtar.File
	who := &object.Signature{
		Name:  "Uma Upstream",
		Email: "uma@example.com",
		When:  stage.Authored.AddDate(0, 0, 1),
	}
	branch := "main"
	if args[0] == "on" {
		branch, args = args[1], args[2:]
	}
	if args[0] == "as" {
		who.Name, who.Email, args = args[1], args[1]+"@example.com", args[2:]
	}
	if args[0] == "at" {
		var err error
		if who.When, err = time.Parse(time.RFC3339, args[1]); err != nil {
			return err
		}
		args = args[2:]
	}
	for _, name := range args {
		files = append(files, txtar.File{
			Name: upstream.ReplaceAllString(name, ""),
			Data: []byte(ts.ReadFile(name)),
		})
	}
	return advance(s.Remote, s.t.TempDir(), branch, files, who)
}

// publishCmd implements "publish NAME": releases the current main under that name, as a branch if the name
// contains a slash, else as a tag.
func publishCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	r, err := git.PlainOpen(s.Remote)
	if err != nil {
		return err
	}
	main, err := r.Reference(plumbing.NewBranchReferenceName("main"), true)
	if err != nil {
		return err
	}
	name := plumbing.NewTagReferenceName(args[0])
	if strings.Contains(args[0], "/") {
		name = plumbing.NewBranchReferenceName(args[0])
	}
	return r.Storer.SetReference(plumbing.NewHashReference(name, main.Hash()))
}

// unpublishCmd implements "unpublish NAME": the branch or tag of that name is deleted.
func unpublishCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	r, err := git.PlainOpen(s.Remote)
	if err != nil {
		return err
	}
	if err := r.Storer.RemoveReference(plumbing.NewBranchReferenceName(args[0])); err != nil {
		return err
	}
	return r.Storer.RemoveReference(plumbing.NewTagReferenceName(args[0]))
}

// rewriteCmd implements "rewrite BRANCH": the branch gets another history with the same files.
func rewriteCmd(_ context.Context, s *story, _ *testscript.TestScript, args []string) error {
	r, err := git.PlainOpen(s.Remote)
	if err != nil {
		return err
	}
	name := plumbing.NewBranchReferenceName(args[0])
	ref, err := r.Reference(name, true)
	if err != nil {
		return err
	}
	old, err := r.CommitObject(ref.Hash())
	if err != nil {
		return err
	}
	who := object.Signature{Name: "Uma Upstream", Email: "uma@example.com", When: stage.Authored}
	made := r.Storer.NewEncodedObject()
	commit := object.Commit{Author: who, Committer: who, Message: "Begin anew", TreeHash: old.TreeHash}
	if err := commit.Encode(made); err != nil {
		return err
	}
	hash, err := r.Storer.SetEncodedObject(made)
	if err != nil {
		return err
	}
	return r.Storer.SetReference(plumbing.NewHashReference(name, hash))
}

// advance commits the files to a branch of the bare repository, which begins at main if it is new.
func advance(remote, work, branch string, files []txtar.File, who *object.Signature) error {
	storage := filesystem.NewStorage(osfs.New(remote), cache.NewObjectLRUDefault())
	r, err := git.Open(storage, osfs.New(work))
	if err != nil {
		return err
	}
	tree, err := r.Worktree()
	if err != nil {
		return err
	}
	main := &git.CheckoutOptions{Branch: plumbing.NewBranchReferenceName("main"), Force: true}
	if err := tree.Checkout(main); err != nil {
		return err
	}
	if branch != "main" {
		on := &git.CheckoutOptions{Branch: plumbing.NewBranchReferenceName(branch), Force: true}
		_, err := r.Reference(on.Branch, true)
		on.Create = err != nil
		if err := tree.Checkout(on); err != nil {
			return err
		}
	}
	for _, f := range files {
		name := filepath.Join(work, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return err
		}
		if _, err := tree.Add(f.Name); err != nil {
			return err
		}
	}
	by := &git.CommitOptions{Author: who, Committer: who}
	if _, err = tree.Commit("shop: go on elsewhere", by); err != nil {
		return err
	}
	return tree.Checkout(main) // the remote's HEAD is main again
}

// moveCmd implements "move": the bot is stopped, and started again as on another machine with the same
// database and none of its files. Its build cache stays, since filling it again proves nothing here.
func moveCmd(_ context.Context, s *story, _ *testscript.TestScript, _ []string) error {
	if err := s.Halt(); err != nil {
		return err
	}
	for _, name := range []string{"sessions", "mirrors"} {
		if err := os.RemoveAll(filepath.Join(s.Settings().DataDir, name)); err != nil {
			return err
		}
	}
	return s.Start(context.Background())
}
