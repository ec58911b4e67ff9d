/** What generated code calls. It may be another in the next version. */
package zeps.wire.internal;
