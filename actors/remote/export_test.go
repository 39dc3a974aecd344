package remote

// Copies has a node send as many copies of each frame as f says, where 0 loses it.
func (o *Options) Copies(f func(*Frame) int) { o.copies = f }
