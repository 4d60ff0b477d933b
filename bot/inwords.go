package bot

import "slices"

// refusesBlocks: Slack takes the message, and not what it looks like. That is a mistake of
// ours or news of Slack's; a report that nobody sees would be worse than one without buttons.
func refusesBlocks(err error) bool {
	return slices.Contains([]string{"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"}, errorCode(err))
}

// inWords is the part without its blocks. Its text holds all that they say, and everything
// that a button does can be said.
func (p part) inWords() part {
	p.text += "\n&gt; Slack refused the buttons of this message. Answer in words."
	p.blocks = nil
	return p
}
