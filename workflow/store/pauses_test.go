package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestAPauseHoldsAndIsToldOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	of := func(channel, repository string) string {
		t.Helper()
		p, err := store.PauseOf(t.Context(), s.DB, channel, repository)
		require.NoError(t, err)
		if p == nil {
			return ""
		}
		return p.String()
	}
	set := func(scope, name string, want bool) store.Pause {
		t.Helper()
		fresh, err := store.SetPause(t.Context(), s.DB, store.Pause{Scope: scope, Name: name, By: "ann"})
		require.NoError(t, err)
		require.Equal(t, want, fresh)
		list, err := store.ListPauses(t.Context(), s.DB)
		require.NoError(t, err)
		for _, p := range list {
			if p.Scope == scope && p.Name == name {
				return p
			}
		}
		return store.Pause{}
	}
	require.Empty(t, of("C1", ""))
	shop := set(store.PauseRepository, "shop", true)
	set(store.PauseRepository, "shop", false)
	require.Equal(t, "repository shop", of("C1", "shop"))
	require.Empty(t, of("shop", "C1"))
	require.Empty(t, of("C1", ""), "not known yet")
	set(store.PauseChannel, "C1", true)
	require.Equal(t, "channel C1", of("C1", ""))
	set(store.PauseAll, "", true)
	require.Equal(t, "everything", of("C2", "site"))
	_, err := store.SetPause(t.Context(), s.DB, store.Pause{Scope: "nonsense", By: "ann"})
	require.Error(t, err)

	for p, want := range map[store.Pause]bool{
		{Scope: store.PauseAll}: true,
		{Scope: store.PauseChannel, Name: turn.Session().Thread.Channel}: true,
		{Scope: store.PauseChannel, Name: "C9"}:                          false,
		shop:                                                             false,
	} {
		seen, err := store.PauseSeen(t.Context(), s.DB, p)
		require.NoError(t, err)
		require.Equal(t, want, seen, p)
	}

	// A pause is told once. One that was lifted and set again is another pause.
	told := func(p store.Pause) error { return turn.Record(t.Context(), store.PauseAnnounced(p)) }
	require.NoError(t, told(shop))
	require.ErrorIs(t, told(shop), record.ErrStale)
	standing := `select count(*) from pauses_told d join pauses p using (scope, name, at)`
	require.Equal(t, 1, storetest.CountRows(t, s, standing), "a replica leaves the session alone")
	was, err := store.LiftPause(t.Context(), s.DB, shop)
	require.NoError(t, err)
	require.True(t, was)
	was, err = store.LiftPause(t.Context(), s.DB, shop)
	require.NoError(t, err)
	require.False(t, was)
	require.Zero(t, storetest.CountRows(t, s, standing))
	require.NoError(t, told(set(store.PauseRepository, "shop", true)))
}
