package git

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// repacked passes on the remote's answer to a fetch with its pack changed, and ends it with a flush
// packet. endless leaves out the flush packet.
func repacked(change func(pack []byte) []byte) spoiler { return framed(change, true) }

func endless(change func(pack []byte) []byte) spoiler { return framed(change, false) }

func framed(change func(pack []byte) []byte, flush bool) spoiler {
	return func(w http.ResponseWriter, r *http.Request, real http.Handler) {
		answer := answerOf(r, real)
		copyHead(w, answer)
		var pack []byte
		lines := pktline.NewScanner(answer.Body)
		e := pktline.NewEncoder(w)
		for lines.Scan() {
			switch b := lines.Bytes(); {
			case len(b) > 0 && b[0] == 1:
				pack = append(pack, b[1:]...)
			case len(b) > 1 && b[0] != 2:
				_ = e.Encode(b)
			}
		}
		_ = e.Encode(append([]byte{1}, change(pack)...))
		if flush {
			_ = e.Flush()
		}
	}
}

// A pack that arrives incomplete or damaged is not stored, whatever the packet lines around it say.
func TestSpoiltPacks(t *testing.T) {
	t.Parallel()
	for program, git := range map[string]string{"the git program": "", "go-git": "-"} {
		for name, c := range map[string]struct {
			spoil  spoiler
			reason string
			passes bool
		}{
			"is cut": {
				endless(func(b []byte) []byte { return b[:len(b)/2] }), "broke off in the middle of a pack",
				true,
			},
			"is empty": {repacked(func([]byte) []byte { return nil }), "broke off", true},
			"ends early": {
				repacked(func(b []byte) []byte { return b[:len(b)/2] }), "sent a pack that is damaged", false,
			},
			"is damaged": {repacked(func(b []byte) []byte {
				b[len(b)/2] ^= 0x55
				return b
			}), "sent a pack that is damaged", false},
			"wrong sum": {repacked(func(b []byte) []byte {
				b[len(b)-1] ^= 0x55
				return b
			}), "sent a pack that is damaged", false},
			"is no pack": {
				repacked(func([]byte) []byte { return []byte("<!doctype html>") }),
				"sent a pack that is damaged", false,
			},
			"lacks a tip": {repacked(func([]byte) []byte { return emptyPack }), "lacks something", false},
		} {
			t.Run(name+", with "+program, func(t *testing.T) {
				t.Parallel()
				o := newTroubled(t)
				m := openMirror(t, &Mirrors{
					Git:   git,
					Retry: remote.RetryPolicy{Tries: faultTries, Wait: time.Millisecond},
				}, o.remote())
				before, err := m.Commits().Resolve("main")
				require.NoError(t, err)
				newer := o.Commit("newer", map[string]string{"newer.txt": "newer\n", "more.txt": "more\n"})
				o.spoil(fetchPack, always, c.spoil)
				requireReported(t, m.Fetch(ctx0()), faultKind{reason: c.reason, passes: c.passes})
				still, err := m.Commits().Resolve("main")
				require.NoError(t, err)
				require.Equal(t, before, still)
				o.fix()
				require.NoError(t, m.Fetch(ctx0()))
				now, err := m.Commits().Resolve("main")
				require.NoError(t, err)
				require.Equal(t, newer, now)
				require.Contains(t, remotetest.RunGit(t, m.dir, "show", newer+":more.txt"), "more")
				leftovers, _ := filepath.Glob(filepath.Join(m.dir, "objects", "pack", "tmp_*"))
				require.Empty(t, leftovers)
			})
		}
	}
}

// An answer that ends within a packet length was cut off; a length that is no number does not come from
// git.
func TestLengthsInPacks(t *testing.T) {
	t.Parallel()
	for rest, reason := range map[string]string{
		"":               "broke off",
		"00":             "broke off in the middle of a pack",
		"001":            "broke off in the middle of a pack",
		"zz!! and so on": "does not speak git",
	} {
		t.Run(rest, func(t *testing.T) {
			t.Parallel()
			o := newTroubled(t)
			m := openMirror(t,
				&Mirrors{Retry: remote.RetryPolicy{Tries: faultTries, Wait: time.Millisecond}}, o.remote())
			o.Commit("newer", map[string]string{"newer.txt": "newer\n"})
			o.spoil(fetchPack, always, func(w http.ResponseWriter, r *http.Request, real http.Handler) {
				answer := answerOf(r, real)
				copyHead(w, answer)
				e := pktline.NewEncoder(w)
				_ = e.EncodeString("NAK\n")
				_ = e.Encode([]byte("\x02Counting\n"))
				_, _ = w.Write([]byte(rest))
			})
			requireReported(t, m.Fetch(ctx0()), faultKind{reason: reason, passes: true})
			o.fix()
			require.NoError(t, m.Fetch(ctx0()))
		})
	}
}

// A full disk of this machine is not blamed on the remote, and the error wraps the errno.
func TestOurOwnDiskIsFull(t *testing.T) {
	t.Parallel()
	for words, errno := range map[string]syscall.Errno{
		"fatal: write error: No space left on device":         syscall.ENOSPC,
		"fatal: sha1 file write error: Disk quota exceeded":   syscall.EDQUOT,
		"fatal: unable to create '/x': Read-only file system": syscall.EROFS,
	} {
		err := transfer.BadPack(fmt.Errorf("index the pack: exit status 128: %s", words), true)
		require.ErrorIs(t, err, errno)
		require.ErrorIs(t, err, remote.ErrLocal)
	}
	early := errors.New("index the pack: exit status 128: fatal: early EOF")
	require.ErrorIs(t, transfer.BadPack(early, false), remote.ErrCutPack)
	require.ErrorIs(t, transfer.BadPack(early, true), remote.ErrSentBad,
		"an answer that said its end was not cut on its way")
	require.NoError(t, transfer.BadPack(nil, false))
	oom := "index the pack: exit status 128: fatal: Out of memory, malloc failed (tried to allocate %d bytes)"
	require.ErrorIs(t, transfer.BadPack(fmt.Errorf(oom, 200<<20), true), remote.ErrLocal,
		"which a sound pack may need")
	require.ErrorIs(t, transfer.BadPack(fmt.Errorf(oom, 82080339931), true), remote.ErrSentBad,
		"which only a damaged one asks for")
}

// emptyPack is a valid pack without objects.
var emptyPack = []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x00" +
	"\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e")

// A failed clone leaves no folder behind.
func TestFaultsAtClone(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	all := &Mirrors{
		Dir:   t.TempDir(),
		Log:   quiet(),
		Retry: remote.RetryPolicy{Tries: faultTries, Wait: time.Millisecond},
	}
	t.Cleanup(func() { require.NoError(t, all.Close()) })
	for name, k := range faultKinds {
		for _, at := range []string{fetchRefs, fetchPack} {
			o.spoil(at, always, k.how)
			_, err := all.Open(ctx0(), o.remote())
			requireReported(t, err, k)
			o.fix()
			left, err := os.ReadDir(all.Dir)
			require.NoError(t, err)
			require.Empty(t, left, name)
		}
	}
	o.spoil(fetchRefs, faultTries-1, status(503))
	m, err := all.Open(ctx0(), o.remote())
	require.NoError(t, err)
	_, err = m.Commits().Resolve("main")
	require.NoError(t, err)
}

// The mirror does not ask a remote again before the time in Retry-After.
func TestRetryAfterIsObeyed(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	w := o.patient(t, remote.RetryPolicy{})
	var mu sync.Mutex
	var at []time.Time
	busy := func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		mu.Lock()
		at = append(at, time.Now())
		mu.Unlock()
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusForbidden) // some hosts answer this instead of 429
	}
	o.spoil(fetchRefs, 1, busy)
	require.NoError(t, w.mirror.Fetch(ctx0()))
	require.GreaterOrEqual(t, time.Since(at[0]), time.Second)

	for asked, want := range map[string]time.Duration{
		"": 0, "soon": 0, "-3": 0, "0": 0, "7": 7 * time.Second, "99999999999": remote.MaxAsked,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		require.Equal(t, want, remote.RetryAfter(http.Header{"Retry-After": {asked}}), asked)
	}
	left := remote.RetryAfter(http.Header{
		"Retry-After": {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)},
	})
	require.InDelta(t, time.Hour, left, float64(time.Minute))
	// The remote's clock is an hour ahead of ours, and the remote asks for a wait of seven seconds.
	ahead := func(d time.Duration) []string {
		return []string{time.Now().Add(time.Hour + d).UTC().Format(http.TimeFormat)}
	}
	left = remote.RetryAfter(http.Header{"Retry-After": ahead(7 * time.Second), "Date": ahead(0)})
	require.InDelta(t, 7*time.Second, left, float64(2*time.Second))
}

// Git may take longer to index a pack than a remote may be silent: nobody waits for the remote then.
func TestIndexingTakesLongerThanSilence(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	o := remotetest.NewShop(t)
	var err error
	for idle := 2; idle <= 16; idle *= 2 { // on a busy machine the remote's first bytes take their time, too
		slow := filepath.Join(t.TempDir(), "git")
		script := `#!/bin/sh
case "$*" in *index-pack*)
	cat >"$0.pack"
	sleep %d
	exec git "$@" <"$0.pack" ;;
esac
exec git "$@"
`
		require.NoError(t, remotetest.WriteProgram(slow, fmt.Sprintf(script, idle+1)))
		all := &Mirrors{
			Dir:   t.TempDir(),
			Log:   quiet(),
			Git:   slow,
			Retry: remote.RetryPolicy{Tries: 1, Idle: time.Duration(idle) * time.Second},
		}
		t.Cleanup(func() { require.NoError(t, all.Close()) })
		if _, err = all.Open(ctx0(), remote.Remote{Name: "shop", URL: o.Dir}); err == nil {
			break
		}
	}
	require.NoError(t, err)
}

// The control: a mirror that tries only once reports a fault that would have passed.
func TestWithoutPatienceAPassingFaultIsTold(t *testing.T) {
	t.Parallel()
	o := newTroubled(t)
	m := openMirror(t, &Mirrors{Retry: remote.RetryPolicy{Tries: 1}}, o.remote())
	o.spoil(fetchRefs, 1, status(503))
	require.Contains(t, refusal(t, m.Fetch(ctx0())).Reason, "answered 503")
	for n, k := range map[string]int{"401": 1, "404": 1} {
		// and a refusal is not retried, however many tries are allowed
		p := openMirror(t, &Mirrors{Retry: remote.RetryPolicy{Tries: 50}}, o.remote())
		o.forget()
		o.spoil(fetchRefs, always, faultKinds[n].how)
		require.Error(t, p.Fetch(ctx0()))
		require.Equal(t, k, o.count(fetchRefs), fmt.Sprint(n))
		o.fix()
	}
}
