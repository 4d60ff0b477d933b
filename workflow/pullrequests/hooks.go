package pullrequests

import (
	"context"
	"crypto/sha256"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"

	"github.com/bobbinhq/bobbin/repo/host"
)

// Hooks is the HTTP handler for the webhooks of git hosts, at /hooks/REPOSITORY. A signed webhook makes
// the repository's open pull requests be polled soon; its content is not read. The same body counts
// once, whatever its headers are, since the headers are not signed.
type Hooks struct {
	Webhooks map[string]host.Webhook // by the repository's name in the configuration
	Wake     func(ctx context.Context, repository string) error
	Log      *slog.Logger

	mu   sync.Mutex
	seen [][sha256.Size]byte // the newest last
}

const (
	maxHook = 8 << 20 // bytes
	maxSeen = 1000
)

func (h *Hooks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "a git host's webhooks come here, by POST", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxHook))
	if err != nil {
		http.Error(w, "too much", http.StatusRequestEntityTooLarge)
		return
	}
	name := r.PathValue("repository")
	hook, known := h.Webhooks[name]
	if !known || !hook.Signed(r.Header, body) {
		h.Log.Warn("a webhook that is not signed, or for a repository that has none", "from", r.RemoteAddr)
		http.Error(w, "not signed with this repository's secret", http.StatusUnauthorized)
		return
	}
	sum := sha256.Sum256(append([]byte(name+"\n"), body...))
	if !h.isRepeat(sum) {
		if err := h.Wake(r.Context(), name); err != nil {
			h.Log.Error("a webhook had no effect; the next look comes by itself",
				"repository", name, "err", err)
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		h.remember(sum)
	}
	w.WriteHeader(http.StatusNoContent)
}

// isRepeat reports whether the message is one of the last maxSeen that were taken.
func (h *Hooks) isRepeat(sum [sha256.Size]byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Contains(h.seen, sum)
}

// remember makes the message a repeat when the host sends it again.
func (h *Hooks) remember(sum [sha256.Size]byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, sum)
	h.seen = h.seen[max(0, len(h.seen)-maxSeen):]
}
