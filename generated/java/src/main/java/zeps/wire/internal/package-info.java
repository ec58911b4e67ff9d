/** Internal classes that generated code calls. They may change in any version. */
package zeps.wire.internal;
