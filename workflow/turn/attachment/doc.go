// Package attachment reads the files that people attached in a thread, once, and shows them
// to agents: what there is, short texts at once, pictures to models that see.
package attachment
