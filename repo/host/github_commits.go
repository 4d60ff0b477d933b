package host

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

var _ remote.CommitHost = (*GitHubRepository)(nil)

// An authorCache holds the author whom GitHub names in commits of the credential, as a trailer has it.
type authorCache struct {
	mu    sync.Mutex
	known string
}

func (a *authorCache) get() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.known
}

func (a *authorCache) set(author string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.known = author
}

// A gitHubObject is an answer of GitHub's Git database that names an object.
type gitHubObject struct {
	SHA string `json:"sha"`
}

// A gitHubMade is a commit in the form of GitHub's Git database.
type gitHubMade struct {
	gitHubObject
	Author struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"author"`
	Verification struct {
		Verified  bool   `json:"verified"`
		Reason    string `json:"reason"`
		Signature string `json:"signature"`
		Payload   string `json:"payload"`
	} `json:"verification"`
}

// MakeCommit stores the files and makes the commit, by GitHub's Git database. It names no author, committer
// or time, since GitHub signs only commits for which an App chooses none. No branch leads to the commit. If
// the message is to have a sign-off and the author is not known yet, it makes a commit first that tells.
func (r *GitHubRepository) MakeCommit(
	ctx context.Context, asked remote.CommitRequest,
) (made remote.HostCommit, err error) {
	if err := r.storeTree(ctx, asked); err != nil {
		return made, err
	}
	for range 3 { // the App may have been renamed since
		author := r.author.get()
		message := asked.Message
		if asked.SignOff && author != "" {
			message = strings.TrimRight(message, "\n") + "\nSigned-off-by: " + author + "\n"
		}
		var c gitHubMade
		if err := r.commits.Send(ctx, http.MethodPost, r.commits.At("/git/commits"), map[string]any{
			"message": message, "tree": asked.Tree, "parents": asked.Parents,
		}, &c); err != nil {
			return made, err
		}
		names := c.Author.Name + " <" + c.Author.Email + ">"
		r.author.set(names)
		if !asked.SignOff || author == names {
			return r.rebuild(c)
		}
	}
	return made, r.oddCommit("the author of its commits changes with each of them")
}

// ReadCommit reads a commit that was made before, also while no branch leads to it.
func (r *GitHubRepository) ReadCommit(ctx context.Context, hash string) (remote.HostCommit, error) {
	var c gitHubMade
	if err := r.commits.Get(ctx, r.commits.At("/git/commits/%s", url.PathEscape(hash)), &c); err != nil {
		return remote.HostCommit{}, err
	}
	if c.SHA != hash {
		return remote.HostCommit{}, r.oddCommit("it sent another commit than was asked for")
	}
	return r.rebuild(c)
}

// storeTree stores the files and the folders. Each of them has the hash that git gives it here.
func (r *GitHubRepository) storeTree(ctx context.Context, asked remote.CommitRequest) error {
	entries := []map[string]any{}
	for _, f := range asked.Files {
		entry := map[string]any{"path": f.Path, "mode": f.Mode, "type": "blob", "sha": f.Hash}
		switch {
		case f.Hash == "":
			entry["mode"] = "100644"
			entry["sha"] = nil // GitHub removes the path
		case f.Content == nil:
			entry["type"] = "commit"
		default:
			if err := r.storeFile(ctx, f); err != nil {
				return err
			}
		}
		entries = append(entries, entry)
	}
	if asked.Tree == asked.BaseTree { // as of a merge that takes nothing
		return nil
	}
	var tree gitHubObject
	if err := r.commits.Send(ctx, http.MethodPost, r.commits.At("/git/trees"),
		map[string]any{"base_tree": asked.BaseTree, "tree": entries}, &tree); err != nil {
		return err
	}
	if tree.SHA != asked.Tree {
		return r.oddCommit(fmt.Sprintf("it made the files %.12s of those that are %.12s here",
			tree.SHA, asked.Tree))
	}
	return nil
}

func (r *GitHubRepository) storeFile(ctx context.Context, f remote.CommitFile) error {
	content, err := f.Content()
	if err != nil {
		return err
	}
	var blob gitHubObject
	if err := r.commits.Send(ctx, http.MethodPost, r.commits.At("/git/blobs"), map[string]any{
		"content": base64.StdEncoding.EncodeToString(content), "encoding": "base64",
	}, &blob); err != nil {
		return err
	}
	if blob.SHA != f.Hash {
		return r.oddCommit(fmt.Sprintf("it stored %q with another content", f.Path))
	}
	return nil
}

// rebuild returns the bytes of a commit from what was signed and the signature. GitHub keeps the last line
// break of its signatures in the commit, and not that of others: the hash tells.
func (r *GitHubRepository) rebuild(c gitHubMade) (remote.HostCommit, error) {
	v := c.Verification
	if v.Signature == "" || v.Payload == "" {
		return remote.HostCommit{}, &remote.Error{
			Op:     r.commits.op(),
			Reason: "GitHub made the commit, but did not sign it (" + asciiLine(v.Reason) + ")",
			Cure: "It signs commits of a GitHub App only: set github_app for the repository, or sign with " +
				"a key (commits.sign_key_file)",
		}
	}
	head, message, ok := strings.Cut(v.Payload, "\n\n")
	for _, signature := range []string{v.Signature, strings.TrimRight(v.Signature, "\n")} {
		raw := []byte(head + "\ngpgsig " + strings.ReplaceAll(signature, "\n", "\n ") + "\n\n" + message)
		sum := sha1.Sum(append(fmt.Appendf(nil, "commit %d\x00", len(raw)), raw...))
		if ok && hex.EncodeToString(sum[:]) == c.SHA {
			return remote.HostCommit{Hash: c.SHA, Raw: raw}, nil
		}
	}
	return remote.HostCommit{}, r.oddCommit("its commit has not the bytes that it says")
}

func (r *GitHubRepository) oddCommit(why string) error {
	return &remote.Error{
		Op:     r.commits.op(),
		Reason: "GitHub's API cannot be used for commits: " + why,
		Cure:   "Sign commits with a key instead: commits.sign_key_file",
		Err:    errors.New("a commit that is not as it was asked for"),
	}
}
