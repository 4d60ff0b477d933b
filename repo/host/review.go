package host

import (
	"context"
	"errors"
	"net/http"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A Review is what the bot writes on a pull request of somebody else.
type Review struct {
	Commit   string // that was reviewed
	Summary  string // Markdown
	Findings []LineNote
	// Whole is the Markdown for a host that takes no notes beside lines, or not these: lines that the pull
	// request does not change.
	Whole string
}

// A LineNote is a note beside a line of a pull request.
type LineNote struct {
	Path string
	Line int
	Text string // Markdown
}

// postReview posts a review to a host with GitHub's API. note makes the host's form of a LineNote. The host
// takes all or nothing: if it refuses the notes, the whole text is posted without them.
func postReview(
	ctx context.Context, c *Client, number int64, review Review, note func(LineNote) map[string]any,
) error {
	notes := []map[string]any{}
	for _, n := range review.Findings {
		notes = append(notes, note(n))
	}
	path := c.At("/pulls/%d/reviews", number)
	body := map[string]any{
		"commit_id": review.Commit, "event": "COMMENT", "body": review.Summary, "comments": notes,
	}
	err := c.Send(ctx, http.MethodPost, path, body, nil)
	var refused *remote.Error
	final := errors.As(err, &refused) && !refused.Retry && !errors.Is(err, ErrForbidden) &&
		!errors.Is(err, ErrNotFound)
	if len(notes) == 0 || !final {
		return err
	}
	return c.Send(ctx, http.MethodPost, path, map[string]any{
		"commit_id": review.Commit, "event": "COMMENT", "body": review.Whole,
	}, nil)
}

// PostReview posts a review with notes beside the lines that the pull request changes.
func (r *GitHubRepository) PostReview(ctx context.Context, number int64, review Review) error {
	return postReview(ctx, r.client, number, review, func(n LineNote) map[string]any {
		return map[string]any{"path": n.Path, "line": n.Line, "side": "RIGHT", "body": n.Text}
	})
}

// PostReview posts a review with notes beside lines.
func (r *GiteaRepository) PostReview(ctx context.Context, number int64, review Review) error {
	return postReview(ctx, r.client, number, review, func(n LineNote) map[string]any {
		return map[string]any{"path": n.Path, "new_position": n.Line, "body": n.Text}
	})
}

// PostReview posts the whole text as a note: GitLab's notes beside lines need the line's place in the diff.
func (p *GitLabProject) PostReview(ctx context.Context, number int64, review Review) error {
	return p.client.Send(ctx, http.MethodPost, p.client.At("/merge_requests/%d/notes", number),
		map[string]any{"body": review.Whole}, nil)
}
