package zeps.wire.driver;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import zeps.wire.RemoteException;

/** Reflective calls by name; they throw the exceptions of the method. */
final class Calls {

  private Calls() {}

  static Method method(Class<?> type, String name, Class<?>... parameters) {
    try {
      return type.getMethod(name, parameters);
    } catch (NoSuchMethodException error) {
      throw new IllegalStateException(error);
    }
  }

  /** The only method with that name. */
  static Method only(Class<?> type, String name) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getName().equals(name) && !method.isBridge())
        .findFirst()
        .orElseThrow();
  }

  static Object call(Method method, Object target, Object... arguments) throws RemoteException {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException error) {
      throw thrown(error);
    } catch (IllegalAccessException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Calls a method without checked exceptions. */
  static Object simply(Method method, Object target, Object... arguments) {
    try {
      return call(method, target, arguments);
    } catch (RemoteException error) {
      throw new IllegalStateException(error);
    }
  }

  /** Creates an object with the only constructor of its class. */
  static Object make(Class<?> type, Object... arguments) {
    try {
      Constructor<?> constructor = type.getConstructors()[0];
      return constructor.newInstance(arguments);
    } catch (InvocationTargetException error) {
      throw new IllegalStateException(error.getCause());
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  private static RemoteException thrown(InvocationTargetException error) {
    Throwable cause = error.getCause();
    if (cause instanceof RemoteException remote) {
      return remote;
    }
    if (cause instanceof RuntimeException local) {
      throw local;
    }
    throw new IllegalStateException(cause);
  }
}
