package transfer

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// emptyPack is a valid pack without objects.
const emptyPack = "PACK\x00\x00\x00\x02\x00\x00\x00\x00" +
	"\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e"

// A remote that counts and compresses for minutes is not idle while it says so, or sends the empty packets
// that keep the connection alive. One that sends nothing is.
func TestARemoteThatPreparesAPackIsNotIdle(t *testing.T) {
	t.Parallel()
	for packet, broken := range map[string]error{
		"\x02Compressing objects\r": nil,
		"\x01":                      nil,
		"":                          remote.ErrIdle,
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := &Client{
				Retry: remote.RetryPolicy{Idle: time.Minute},
				Log:   slog.New(slog.DiscardHandler),
				Now:   time.Now,
			}
			f := &fetch{
				client: c,
				held:   Held{Dir: t.TempDir()},
				idle:   time.AfterFunc(c.Retry.Idle, func() { cancel(remote.ErrIdle) }),
			}
			from, to := io.Pipe()
			context.AfterFunc(ctx, func() { _ = to.CloseWithError(context.Cause(ctx)) })
			sent := make(chan struct{})
			defer func() { <-sent }()
			go func() {
				defer close(sent)
				e := pktline.NewEncoder(to)
				for range 5 {
					time.Sleep(40 * time.Second) // synctest's clock: no real time passes
					if packet != "" {
						_ = e.EncodeString(packet)
					}
				}
				_ = e.EncodeString("\x01" + emptyPack)
				_ = e.Flush()
			}()
			req := packp.NewUploadPackRequest()
			require.NoError(t, req.Capabilities.Set(capability.Sideband64k))
			require.ErrorIs(t, f.keepPack(ctx, newPackReader(&idleReader{from, f}, req, nil)), broken)
		})
	}
}
