// Package model has the models of private learning on images: multinomial logistic regression,
// perceptrons and small convolutional networks with softmax cross-entropy. It computes their
// gradients for single samples, and the sums of clipped gradients of DP-SGD. It makes problems
// of a data set of images. It reads no file of images, knows no algorithm, adds no noise, takes
// no step and accounts for no privacy.
//
// A network is a list of layers that New compiles to a Model, which is immutable and safe
// for concurrent use; a computation writes to a Workspace, one for each goroutine.
//
//	Online       one datum at a time         online federated learning (OFL)
//	Federated    clients with data of their own   DPFL, ALI-DPFL
//	SumClipped   sum of g_i min(1, C/||g_i||)     network.go: forward, derive, backward, square, sum
//	Evaluate     loss and accuracy on all data    on all cores
//
// # Images
//
// An ImageProblem has clients with data of their own for federated learning, and a stream of one
// image a step for online learning. The images are learned by a network, or are rows for a model
// of package vector. Everything is a pure function of its arguments and a seed: the division of
// images, the order in which a learner meets its images, and the start of a network. The arms of
// a sweep are compared on the same data.
//
// # Numbers
//
// Parameters and gradients are flat vectors of float64, like the messages of the algorithms.
// Inside, everything is float32 and package kernel: parameters are rounded once when they come
// in, losses and norms are summed in float64, and a sum over samples is kept in float32 within
// a block of 16 samples and in float64 between blocks. Parameters outside the range of float32
// round to infinities and end as errors or as gradients that are not finite.
//
// Nothing is summed in an order that depends on the number of cores, on the caller, or on the
// address of a slice, and a sample's numbers do not depend on the block that it is computed
// in. Results are the same to the last bit on every machine.
//
// # Order of the parameters
//
// Layers follow each other from the input to the output, each with its weights and then
// its biases. The weights of a dense layer are units x inputs, the weights of a convolution
// are filters x channels x rows x columns, the last index fastest. Pixels are channels x rows
// x columns, and stay in this order where the first dense layer reads them.
package model
