package objects

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// A few bytes of a pack can ask for any amount of memory, which must be refused.
func TestDeltasSayHowMuchTheyMake(t *testing.T) {
	t.Parallel()
	delta := binary.AppendUvarint(binary.AppendUvarint(nil, 1<<20), 5<<30)
	require.EqualValues(t, 5<<30, patchedSize(delta))
	require.Zero(t, patchedSize(nil))
	p := &pack{bases: &baseCache{}}
	_, err := p.readContent(entry{size: maxHeld + 1})
	require.Error(t, err)
	p.size = maxHeld
	_, err = p.readContent(entry{size: maxHeld + 1})
	require.ErrorIs(t, err, errTooMuch)
}
