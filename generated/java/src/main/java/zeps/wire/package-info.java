/** The runtime of codecs and machines: bytes, text, errors, and the engine of the machines. */
package zeps.wire;
